package dev.lockstep.recorder;

import dev.lockstep.capture.Protocol;
import dev.lockstep.net.Tls;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/** Makes the TLS handlers of both sides of the proxy, with the Java runtime's engines. Any thread. */
final class TlsEngines {
    private final RecordingConfig config;
    private final SSLContext toClients;
    private final SSLContext toUpstream;

    /** @throws RecorderException when the runtime cannot use the configured key or certificates */
    TlsEngines(RecordingConfig config) {
        this.config = config;
        try {
            this.toClients = config.clientTls() == null ? null : serving(config.clientTls());
            this.toUpstream = config.upstreamTls() == null ? null : trusting(config.upstreamTls());
        } catch (GeneralSecurityException | IOException e) {
            throw new RecorderException(
                    "cannot prepare TLS: " + e.getMessage() + "; check the certificates and the key", e);
        }
    }

    private static SSLContext serving(TlsIdentity identity) throws GeneralSecurityException, IOException {
        return Tls.context(Tls.keys(identity.key(), identity.certificates()), null);
    }

    private static SSLContext trusting(UpstreamTls tls) throws GeneralSecurityException, IOException {
        return Tls.context(null, tls.isInsecure() ? Tls.trustAnyone() : Tls.trust(tls.authorities()));
    }

    boolean withClients() {
        return toClients != null;
    }

    boolean withUpstream() {
        return toUpstream != null;
    }

    /** The server's end of a client's TLS. It agrees on this protocol by ALPN, or on none when it is empty. */
    SslHandler withClient(String protocol) {
        SSLEngine engine = toClients.createSSLEngine();
        engine.setUseClientMode(false);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setApplicationProtocols(protocol.isEmpty() ? new String[0] : new String[] {protocol});
        engine.setSSLParameters(parameters);
        return new SslHandler(engine);
    }

    /**
     * The client's end of the upstream's TLS. It offers what the client offered and asks for its server name.
     *
     * @param hello what the client has sent, or null when it does not speak TLS
     */
    SslHandler withUpstream(ClientHello hello) {
        String host = serverName(hello);
        SSLEngine engine = toUpstream.createSSLEngine(host, config.upstream().getPort());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        List<String> offers =
                hello != null ? hello.protocols : config.protocol() == Protocol.HTTP2 ? List.of("h2") : List.of();
        parameters.setApplicationProtocols(
                offers.stream().filter(TlsEngines::isPlainText).toArray(String[]::new));
        Tls.askFor(host, config.upstreamTls().isInsecure(), parameters);
        engine.setSSLParameters(parameters);
        SslHandler handler = new SslHandler(engine);
        handler.setHandshakeTimeoutMillis(config.connectTimeout().toMillis());
        return handler;
    }

    private String serverName(ClientHello hello) {
        if (config.upstreamTls().serverName() != null) {
            return config.upstreamTls().serverName();
        }
        if (hello != null && hello.serverName() != null && Tls.isName(hello.serverName())) {
            return hello.serverName();
        }
        InetSocketAddress upstream = config.upstream();
        return upstream.getHostString();
    }

    /** The protocol to agree on with a client where the upstream speaks no TLS; empty for none. */
    String protocolWithoutUpstreamTls(ClientHello hello) {
        String spoken = config.protocol() == Protocol.HTTP2 ? "h2" : "http/1.1";
        return hello.protocols.contains(spoken) ? spoken : "";
    }

    /** The made-up names of GREASE (RFC 8701) cannot be offered on. */
    private static boolean isPlainText(String protocol) {
        return !protocol.isEmpty() && protocol.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }
}
