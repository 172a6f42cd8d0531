package dev.lockstep.cli.targets;

import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.TlsPair;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.monitor.metrics.MetricsSource;
import dev.lockstep.replayer.ReplayException;
import dev.lockstep.replayer.tls.TargetTls;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say how TLS is spoken to targets. Filled by picocli, then only read. */
@Heading("Security")
public final class TargetTlsOptions {
    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "Trusts only the authorities in this file (PEM) for targets with TLS. Default: those of "
                    + "the Java runtime.")
    private Path authorities;

    @Option(
            names = "--tls-insecure",
            description =
                    "Trusts any certificate under any name. For trials: whoever answers may read all that is sent.")
    private boolean insecure;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "Shows this certificate chain (PEM) to targets that ask for one; goes with --tls-key.")
    private Path certificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "The certificate's private key (PEM, PKCS #8, not encrypted).")
    private Path privateKey;

    /**
     * Returns how TLS is spoken to these targets, or null where none speaks it.
     *
     * @throws UsageException when the options do not go together
     * @throws CliException when a file cannot be read or does not hold what it should
     */
    public TargetTls tls(List<TargetSpec> specs) {
        check();
        boolean spoken = specs.stream()
                .anyMatch(spec -> spec.tls()
                        || spec.metrics().filter(MetricsSource::isTls).isPresent());
        if (!spoken) {
            String option = authorities != null
                    ? "--tls-ca"
                    : insecure ? "--tls-insecure" : certificate != null ? "--tls-cert" : null;
            if (option != null) {
                throw new UsageException(option
                        + ": no target speaks TLS; say so with https://HOST:PORT in --targets or tls: true in the"
                        + " targets file");
            }
            return null;
        }
        TargetTls.Builder tls = TargetTls.builder();
        try {
            if (insecure) {
                tls.insecure();
            } else if (authorities != null) {
                tls.trust(authorities);
            }
            if (certificate != null) {
                tls.identity(certificate, privateKey);
            }
            return tls.build();
        } catch (ReplayException e) {
            throw new CliException(e.getMessage());
        }
    }

    private void check() {
        if (insecure && authorities != null) {
            throw new UsageException("--tls-insecure trusts anybody, --tls-ca does not; leave one out");
        }
        TlsPair.check(certificate, privateKey);
    }
}
