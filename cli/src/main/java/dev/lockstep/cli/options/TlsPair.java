package dev.lockstep.cli.options;

import dev.lockstep.cli.command.UsageException;
import java.nio.file.Path;

/** The options {@code --tls-cert} and {@code --tls-key}, which are of no use without each other. */
public final class TlsPair {
    private TlsPair() {}

    /**
     * Checks that both are given or none.
     *
     * @throws UsageException where one is missing
     */
    public static void check(Path certificate, Path privateKey) {
        if ((certificate == null) != (privateKey == null)) {
            throw new UsageException(
                    certificate == null
                            ? "--tls-key: expected --tls-cert beside it, found none"
                            : "--tls-cert: expected --tls-key beside it, found none");
        }
    }
}
