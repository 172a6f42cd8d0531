package dev.lockstep.cli;

import dev.lockstep.recorder.ProxyHeaderIn;
import dev.lockstep.recorder.ProxyHeaderOut;
import dev.lockstep.recorder.RecordingConfig;
import dev.lockstep.recorder.TlsIdentity;
import dev.lockstep.recorder.UpstreamTls;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import picocli.CommandLine.Option;

/** The options of a recording through the proxy. */
final class ProxyOptions {
    @Option(
            names = "--listen",
            order = 10,
            paramLabel = "HOST:PORT",
            converter = AddressConverter.class,
            description = "Where clients connect to; port 0 takes a free one.")
    InetSocketAddress listen;

    @Option(
            names = "--upstream",
            order = 11,
            paramLabel = "HOST:PORT",
            converter = AddressConverter.class,
            description = "The service that answers them.")
    InetSocketAddress upstream;

    @Option(
            names = "--tls-cert",
            order = 12,
            paramLabel = "FILE",
            description = "Terminate clients' TLS with this certificate chain (PEM); what is recorded is inside.")
    private Path certificate;

    @Option(names = "--tls-key", order = 13, paramLabel = "FILE", description = "The certificate's private key (PEM).")
    private Path privateKey;

    @Option(
            names = "--tls-self-signed",
            order = 14,
            description =
                    "Terminate TLS with a certificate made on the spot, for trials: clients must be told to trust "
                            + "anybody.")
    private boolean selfSigned;

    @Option(
            names = "--upstream-tls",
            order = 15,
            description = "Speak TLS to the upstream; its certificate must be good for its host name.")
    private boolean upstreamTls;

    @Option(
            names = "--upstream-ca",
            order = 16,
            paramLabel = "FILE",
            description = "Trust these authorities (PEM) instead of Java's.")
    private Path authorities;

    @Option(
            names = "--upstream-name",
            order = 17,
            paramLabel = "HOST",
            description = "Ask the upstream for this server name (SNI). Default: what the client asked for, else its "
                    + "host.")
    private String upstreamName;

    @Option(
            names = "--upstream-insecure",
            order = 18,
            description = "Do not check the upstream's certificate: for trials.")
    private boolean insecure;

    @Option(
            names = "--proxy-protocol-in",
            order = 19,
            paramLabel = "MODE",
            description =
                    "Expect a PROXY protocol header (v1 or v2) before a client's first byte and record the address "
                            + "in it: none (default), required, or auto.")
    private ProxyHeaderIn headerIn = ProxyHeaderIn.NONE;

    @Option(
            names = "--proxy-protocol-out",
            order = 20,
            paramLabel = "VERSION",
            description =
                    "Tell the upstream the client's address by a PROXY protocol header: none (default), v1 or v2.")
    private ProxyHeaderOut headerOut = ProxyHeaderOut.NONE;

    @Option(
            names = "--max-connections",
            order = 21,
            paramLabel = "N",
            description = "Refuse and count clients beyond this many at a time. Default: no limit.")
    private int maxConnections;

    @Option(
            names = "--idle-timeout",
            order = 22,
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Close connections on which nothing has passed for so long. Default: never.")
    private Duration idleTimeout = Duration.ZERO;

    @Option(
            names = "--warmup",
            order = 23,
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description =
                    "Run the recorder on made-up traffic of its own for so long before it listens, so that it costs "
                            + "the true traffic less. Default: 1s; 0 for none.")
    Duration warmUp = Duration.ofSeconds(1);

    /** Tells whether any of the options was given. */
    boolean isGiven() {
        return listen != null || upstream != null;
    }

    void addTo(RecordingConfig.Builder config) {
        config.listen(listen)
                .upstream(upstream)
                .proxyHeaderIn(headerIn)
                .proxyHeaderOut(headerOut)
                .maxConnections(maxConnections)
                .idleTimeout(idleTimeout);
        if ((certificate == null) != (privateKey == null)) {
            throw new UsageException(
                    certificate == null
                            ? "--tls-key: expected --tls-cert beside it, found none"
                            : "--tls-cert: expected --tls-key beside it, found none");
        }
        if (selfSigned && certificate != null) {
            throw new UsageException("--tls-self-signed: expected no certificate beside it, found --tls-cert");
        }
        if (selfSigned) {
            Set<String> names = new LinkedHashSet<>(Set.of("localhost"));
            names.add(listen.getHostString());
            config.clientTls(TlsIdentity.selfSigned(names.toArray(new String[0])));
        } else if (certificate != null) {
            config.clientTls(TlsIdentity.read(certificate, privateKey));
        }
        if (authorities != null && insecure) {
            throw new UsageException("--upstream-insecure: expected no authorities beside it, found --upstream-ca");
        }
        if (upstreamTls || authorities != null || insecure || upstreamName != null) {
            UpstreamTls tls = insecure
                    ? UpstreamTls.insecure()
                    : authorities != null ? UpstreamTls.trusting(authorities) : UpstreamTls.trustingRuntime();
            config.upstreamTls(upstreamName == null ? tls : tls.serverName(upstreamName));
        }
    }
}
