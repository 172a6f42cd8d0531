package dev.lockstep.cli;

import dev.lockstep.redaction.RedactionException;
import dev.lockstep.redaction.RedactionKey;
import dev.lockstep.redaction.RedactionPolicy;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options that say which values are replaced before they are written. */
final class RedactionOptions {
    @Option(
            names = "--redact",
            paramLabel = "RULES.yaml",
            description = "Replace what these rules name as well as what the built-in ones do (docs/redaction.md): "
                    + "headers, query parameters, JSON and form fields, Thrift fields by id.")
    private Path rules;

    @Option(
            names = "--no-redact",
            description = "Keep every byte as it was, credentials too. Without it Authorization, cookies, API keys and "
                    + "the like are replaced by tokens of the same length, which a target that checks them refuses.")
    private boolean off;

    @Option(
            names = "--redact-key-file",
            paramLabel = "FILE",
            description = "Derive the tokens from this key (32 bytes, or 64 hexadecimal digits), so that several "
                    + "captures have the same token for the same value. Default: a new key, kept nowhere.")
    private Path keyFile;

    @Option(names = "--redact-key-env", paramLabel = "NAME", description = "The same, from an environment variable.")
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
