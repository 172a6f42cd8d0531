package dev.lockstep.cli.captures;

import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.AddressConverter;
import dev.lockstep.cli.options.DurationConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.TlsPair;
import dev.lockstep.recorder.ProxyHeaderIn;
import dev.lockstep.recorder.ProxyHeaderOut;
import dev.lockstep.recorder.RecorderException;
import dev.lockstep.recorder.RecordingConfig;
import dev.lockstep.recorder.TlsIdentity;
import dev.lockstep.recorder.UpstreamTls;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.run.Addresses;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import picocli.CommandLine.Option;

/** The options of a recording through the proxy. */
@Heading("Through a proxy")
final class ProxyOptions {
    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            converter = AddressConverter.class,
            description = "Where clients connect; port 0 takes a free one.")
    InetSocketAddress listen;

    @Option(
            names = "--upstream",
            paramLabel = "HOST:PORT",
            converter = AddressConverter.class,
            description = "The service that answers them.")
    InetSocketAddress upstream;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "Terminates clients' TLS with this certificate chain (PEM); what is recorded is inside.")
    private Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The certificate's private key (PEM).")
    private Path privateKey;

    @Option(
            names = "--tls-self-signed",
            description = "Terminates TLS with a certificate made on the spot. For trials: clients must be told to "
                    + "trust anybody.")
    private boolean selfSigned;

    @Option(
            names = "--upstream-tls",
            description = "Speaks TLS to the upstream; its certificate must be good for its host name.")
    private boolean upstreamTls;

    @Option(
            names = "--upstream-ca",
            paramLabel = "FILE",
            description = "Trusts these authorities (PEM) instead of Java's.")
    private Path authorities;

    @Option(
            names = "--upstream-name",
            paramLabel = "HOST",
            description = "Server name to ask the upstream for (SNI). Default: what the client asked for, else the "
                    + "upstream's host.")
    private String upstreamName;

    @Option(names = "--upstream-insecure", description = "Does not check the upstream's certificate. For trials.")
    private boolean insecure;

    @Option(
            names = "--proxy-protocol-in",
            paramLabel = "MODE",
            description = "none (default), required or auto: expects a PROXY protocol header (v1, v2) before a "
                    + "client's first byte and records its address.")
    private ProxyHeaderIn headerIn;

    @Option(
            names = "--proxy-protocol-out",
            paramLabel = "VERSION",
            description =
                    "none (default), v1 or v2: tells the upstream the client's address by a PROXY protocol header.")
    private ProxyHeaderOut headerOut;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            description = "Refuses and counts clients beyond this many at a time. Default: no limit.")
    private Integer maxConnections;

    @Option(
            names = "--idle-timeout",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Closes connections after this time without a byte, 10ms to 720h. Default: never.")
    private Duration idleTimeout;

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "How long the recorder runs its code on made-up traffic before it listens "
                    + "(docs/recording.md); 0: not at all. Default: 1s.")
    private Duration warmUp;

    /** Returns the first of the options that was given, or null for none. */
    String given() {
        Object[][] all = {
            {"--listen", listen},
            {"--upstream", upstream},
            {"--tls-cert", certificate},
            {"--tls-key", privateKey},
            {"--tls-self-signed", selfSigned ? true : null},
            {"--upstream-tls", upstreamTls ? true : null},
            {"--upstream-ca", authorities},
            {"--upstream-name", upstreamName},
            {"--upstream-insecure", insecure ? true : null},
            {"--proxy-protocol-in", headerIn},
            {"--proxy-protocol-out", headerOut},
            {"--max-connections", maxConnections},
            {"--idle-timeout", idleTimeout},
            {"--warmup", warmUp},
        };
        for (Object[] option : all) {
            if (option[1] != null) {
                return (String) option[0];
            }
        }
        return null;
    }

    /** Where none is asked for, as long as a replay's own. */
    Duration warmUp() {
        return warmUp == null ? Duration.ofMillis(ReplayConfig.usualSelfWarmUpMs()) : warmUp;
    }

    void addTo(RecordingConfig.Builder config) {
        check();
        config.listen(listen)
                .upstream(upstream)
                .proxyHeaderIn(headerIn == null ? ProxyHeaderIn.NONE : headerIn)
                .proxyHeaderOut(headerOut == null ? ProxyHeaderOut.NONE : headerOut)
                .maxConnections(maxConnections == null ? 0 : maxConnections)
                .idleTimeout(idleTimeout == null ? Duration.ZERO : idleTimeout);
        try {
            addTls(config);
        } catch (RecorderException e) {
            throw new CliException(e.getMessage());
        }
    }

    /** Says in the options' words what the configuration's check would say in those of its fields. */
    private void check() {
        if (upstream.getPort() == 0) {
            throw new UsageException("--upstream: expected a port of 1 to 65535, found " + Addresses.print(upstream));
        }
        if (RecordingConfig.isSame(listen, upstream)) {
            throw new UsageException("--upstream: expected another address than --listen, or the proxy would call "
                    + "itself, found " + Addresses.print(upstream));
        }
        if (maxConnections != null && maxConnections < 0) {
            throw new UsageException("--max-connections: expected 0 or more, found " + maxConnections);
        }
        if (idleTimeout != null
                && !idleTimeout.isZero()
                && (idleTimeout.compareTo(Duration.ofMillis(10)) < 0
                        || idleTimeout.compareTo(Duration.ofDays(30)) > 0)) {
            throw new UsageException(
                    "--idle-timeout: expected 10ms to 720h, or 0, found " + DurationConverter.print(idleTimeout));
        }
        if (!upstreamTls && (authorities != null || upstreamName != null || insecure)) {
            throw new UsageException((authorities != null
                            ? "--upstream-ca"
                            : upstreamName != null ? "--upstream-name" : "--upstream-insecure")
                    + ": expected --upstream-tls beside it, found none");
        }
        if (authorities != null && insecure) {
            throw new UsageException("--upstream-insecure: expected no authorities beside it, found --upstream-ca");
        }
        TlsPair.check(certificate, privateKey);
        if (selfSigned && certificate != null) {
            throw new UsageException("--tls-self-signed: expected no certificate beside it, found --tls-cert");
        }
    }

    private void addTls(RecordingConfig.Builder config) {
        if (selfSigned) {
            Set<String> names = new LinkedHashSet<>(Set.of("localhost"));
            names.add(listen.getHostString());
            config.clientTls(TlsIdentity.selfSigned(names.toArray(new String[0])));
        } else if (certificate != null) {
            config.clientTls(TlsIdentity.read(certificate, privateKey));
        }
        if (upstreamTls) {
            UpstreamTls tls = insecure
                    ? UpstreamTls.insecure()
                    : authorities != null ? UpstreamTls.trusting(authorities) : UpstreamTls.trustingRuntime();
            config.upstreamTls(upstreamName == null ? tls : tls.serverName(upstreamName));
        }
    }
}
