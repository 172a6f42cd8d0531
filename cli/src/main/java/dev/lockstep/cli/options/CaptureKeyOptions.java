package dev.lockstep.cli.options;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.UsageException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options that name the key of an encrypted capture. */
@Heading({"Encryption", "Security", "The file"})
public final class CaptureKeyOptions {
    @Option(
            names = "--key-file",
            paramLabel = "FILE",
            description = "The capture's encryption key: a file that only you can read, of 32 bytes, 64 "
                    + "hexadecimal digits or base64.")
    private Path file;

    @Option(names = "--key-env", paramLabel = "NAME", description = "The same key, from an environment variable.")
    private String variable;

    /** Returns the key that the options name, or null for none. */
    public EncryptionKey key() {
        if (file != null && variable != null) {
            throw new UsageException("--key-env: expected one key, found --key-file too");
        }
        if (file != null) {
            return ofFile("--key-file", file);
        }
        if (variable == null) {
            return null;
        }
        try {
            return EncryptionKey.fromEnvironment(variable);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--key-env: " + e.getMessage());
        }
    }

    /**
     * Returns the key of a file that an option names.
     *
     * @throws CliException where it cannot be used
     */
    public static EncryptionKey ofFile(String option, Path file) {
        try {
            return EncryptionKey.fromFile(file);
        } catch (CaptureException e) {
            throw new CliException(option + ": " + e.getMessage());
        }
    }
}
