package dev.lockstep.cli;

import dev.lockstep.redaction.RedactionException;
import dev.lockstep.redaction.RedactionKey;
import dev.lockstep.redaction.RedactionPolicy;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options that say which values are replaced before they are written. */
@Heading("Secrets")
final class RedactionOptions {
    @Option(
            names = "--redact",
            paramLabel = "RULES.yaml",
            description = "Adds these rules to the built-in ones: headers, query parameters, JSON and form fields, "
                    + "Thrift fields by id (docs/redaction.md).")
    private Path rules;

    @Option(
            names = "--no-redact",
            description = "Keeps every byte, credentials too. Default: tokens of the same length replace "
                    + "credentials and cookies; a target that checks them refuses.")
    private boolean off;

    @Option(
            names = "--redact-key-file",
            paramLabel = "FILE",
            description = "Derives the tokens from this key (16 to 4096 bytes): captures then share tokens. "
                    + "Default: a new key, kept nowhere.")
    private Path keyFile;

    @Option(
            names = "--redact-key-env",
            paramLabel = "NAME",
            description = "The same key, from an environment variable.")
    private String keyVariable;

    /** Returns the policy that the options ask for, or null for none. */
    RedactionPolicy policy() {
        if (off && (rules != null || keyFile != null || keyVariable != null)) {
            throw new UsageException("--no-redact: expected no other redaction option beside it, found "
                    + (rules != null ? "--redact" : keyFile != null ? "--redact-key-file" : "--redact-key-env"));
        }
        if (keyFile != null && keyVariable != null) {
            throw new UsageException("--redact-key-env: expected one key, found --redact-key-file too");
        }
        if (off) {
            return null;
        }
        try {
            return load();
        } catch (RedactionException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private RedactionPolicy load() {
        RedactionKey key = keyFile != null
                ? RedactionKey.ofFile(keyFile)
                : keyVariable != null ? RedactionKey.ofEnvironment(keyVariable) : RedactionKey.random();
        return rules == null ? RedactionPolicy.defaults(key) : RedactionPolicy.load(rules, key);
    }
}
