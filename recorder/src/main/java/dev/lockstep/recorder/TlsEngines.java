package dev.lockstep.recorder;

import dev.lockstep.protocol.StreamProtocol;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.IDN;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Makes what speaks TLS on either side of the proxy, with the engines of the Java runtime. Any thread. */
final class TlsEngines {
    private static final char[] NO_PASSWORD = {};

    private final RecordingConfig config;
    private final SSLContext toClients;
    private final SSLContext toUpstream;

    /**
     * Prepares what the configuration asks for.
     *
     * @throws RecorderException when the runtime cannot use its key or certificates
     */
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
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(
                "proxy", identity.key(), NO_PASSWORD, identity.certificates().toArray(new X509Certificate[0]));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        return context(keys.getKeyManagers(), null);
    }

    private static SSLContext trusting(UpstreamTls tls) throws GeneralSecurityException, IOException {
        if (tls.isInsecure()) {
            return context(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers());
        }
        KeyStore store = null; // the runtime's
        if (tls.authorities() != null) {
            store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (X509Certificate authority : tls.authorities()) {
                store.setCertificateEntry("authority" + store.size(), authority);
            }
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return context(null, trust.getTrustManagers());
    }

    private static SSLContext context(KeyManager[] keys, TrustManager[] trust) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, trust, null);
        return context;
    }

    /** Tells whether clients speak TLS to the proxy. */
    boolean withClients() {
        return toClients != null;
    }

    /** Tells whether the proxy speaks TLS to the upstream. */
    boolean withUpstream() {
        return toUpstream != null;
    }

    /** Returns the server's end of a client's TLS, which agrees on this protocol by ALPN, or on none when it is empty. */
    SslHandler withClient(String protocol) {
        SSLEngine engine = toClients.createSSLEngine();
        engine.setUseClientMode(false);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setApplicationProtocols(protocol.isEmpty() ? new String[0] : new String[] {protocol});
        engine.setSSLParameters(parameters);
        return new SslHandler(engine);
    }

    /**
     * Returns the client's end of the upstream's TLS, which offers what the client offered and asks for its server name.
     *
     * @param hello what the client has sent, or null when it does not speak TLS
     */
    SslHandler withUpstream(ClientHello hello) {
        String host = serverName(hello);
        SSLEngine engine = toUpstream.createSSLEngine(host, config.upstream().getPort());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        List<String> offers = hello != null
                ? hello.protocols()
                : config.protocol() == StreamProtocol.HTTP2 ? List.of("h2") : List.of();
        parameters.setApplicationProtocols(
                offers.stream().filter(TlsEngines::isPlainText).toArray(String[]::new));
        if (isName(host)) {
            parameters.setServerNames(List.of(new SNIHostName(host)));
        }
        if (!config.upstreamTls().isInsecure()) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        engine.setSSLParameters(parameters);
        SslHandler handler = new SslHandler(engine);
        handler.setHandshakeTimeoutMillis(config.connectTimeout().toMillis());
        return handler;
    }

    private String serverName(ClientHello hello) {
        if (config.upstreamTls().serverName() != null) {
            return config.upstreamTls().serverName();
        }
        if (hello != null && hello.serverName() != null && isName(hello.serverName())) {
            return hello.serverName();
        }
        InetSocketAddress upstream = config.upstream();
        return upstream.getHostString();
    }

    /** Returns the protocol that the proxy agrees on with a client for an upstream without TLS; empty for none. */
    String protocolWithoutUpstreamTls(ClientHello hello) {
        String spoken = config.protocol() == StreamProtocol.HTTP2 ? "h2" : "http/1.1";
        return hello.protocols().contains(spoken) ? spoken : "";
    }

    /** Tells whether a protocol's name can be offered on; the made-up ones of GREASE (RFC 8701) cannot. */
    private static boolean isPlainText(String protocol) {
        return !protocol.isEmpty() && protocol.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }

    private static boolean isName(String host) {
        if (NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)) {
            return false;
        }
        try {
            IDN.toASCII(host, IDN.USE_STD3_ASCII_RULES);
            return !host.isEmpty() && !host.endsWith(".");
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
