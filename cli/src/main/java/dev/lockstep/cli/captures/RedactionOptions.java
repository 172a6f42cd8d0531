package dev.lockstep.cli.captures;

import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.KeyConverter;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.redaction.RedactionCounts;
import dev.lockstep.redaction.RedactionException;
import dev.lockstep.redaction.RedactionKey;
import dev.lockstep.redaction.RedactionPolicy;
import dev.lockstep.redaction.Unsearchable;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

    @Option(
            names = "--unsearchable",
            paramLabel = "WHAT",
            converter = UnsearchableConverter.class,
            description = "What becomes of bytes that cannot be searched for secrets (unknown protocols, TLS, "
                    + "WebSockets): drop or keep. Default: drop.")
    private Unsearchable unsearchable;

    /** Returns the policy that the options ask for, or null for none. */
    RedactionPolicy policy() {
        if (off && (rules != null || keyFile != null || keyVariable != null || unsearchable != null)) {
            throw new UsageException("--no-redact: expected no other redaction option beside it, found "
                    + (rules != null
                            ? "--redact"
                            : keyFile != null
                                    ? "--redact-key-file"
                                    : keyVariable != null ? "--redact-key-env" : "--unsearchable"));
        }
        if (keyFile != null && keyVariable != null) {
            throw new UsageException("--redact-key-env: expected one key, found --redact-key-file too");
        }
        return off ? null : policy(rules, keyFile, keyVariable, unsearchable);
    }

    /**
     * Returns a policy; what is null is left to the defaults.
     *
     * @throws UsageException where the rules, or a variable with the key, are wrong
     * @throws CliException where a file cannot be read
     */
    static RedactionPolicy policy(Path rules, Path keyFile, String keyVariable, Unsearchable unsearchable) {
        try {
            RedactionKey key = keyFile != null
                    ? keyOfFile(keyFile)
                    : keyVariable != null ? RedactionKey.ofEnvironment(keyVariable) : RedactionKey.random();
            RedactionPolicy policy = rules == null ? RedactionPolicy.defaults(key) : RedactionPolicy.load(rules, key);
            return unsearchable == null ? policy : policy.unsearchable(unsearchable);
        } catch (RedactionException e) {
            // What a file of rules says is wrong as an option is; that it cannot be read is a failure.
            throw e.getCause() instanceof IOException && !(e.getCause() instanceof CharacterCodingException)
                    ? new CliException(e.getMessage())
                    : new UsageException(e.getMessage());
        }
    }

    private static RedactionKey keyOfFile(Path file) {
        try {
            return RedactionKey.ofFile(file);
        } catch (RedactionException e) {
            throw new CliException(e.getMessage());
        }
    }

    /** Returns what a command says first where something could not be searched. */
    static List<String> unsearched(RedactionPolicy policy) {
        RedactionCounts counts = policy.counts();
        List<String> lines = new ArrayList<>();
        if (counts.unsearchedConnections() > 0) {
            String connections = Quantities.count(counts.unsearchedConnections(), "connection");
            lines.add(
                    policy.unsearchable() == Unsearchable.DROP
                            ? "LEFT OUT: " + Quantities.bytes(counts.unsearchedLeftOutBytes()) + " of " + connections
                                    + " that cannot be searched for secrets (--unsearchable keep keeps them)"
                            : "NOT SEARCHED for secrets but for headers and parameters: "
                                    + Quantities.bytes(counts.unsearchedKeptBytes()) + " of " + connections
                                    + ", in the file (--unsearchable drop leaves them out)");
        }
        if (counts.unsearchedBodies() > 0) {
            lines.add("NOT SEARCHED for secrets: "
                    + (counts.unsearchedBodies() == 1 ? "1 body" : counts.unsearchedBodies() + " bodies")
                    + " (" + counts.unsearchedTypes() + "), in the file");
        }
        return lines;
    }

    /** Reads what becomes of bytes that cannot be searched. */
    static final class UnsearchableConverter extends KeyConverter<Unsearchable> {
        UnsearchableConverter() {
            super(Unsearchable.values(), what -> what.name().toLowerCase(Locale.ROOT));
        }
    }
}
