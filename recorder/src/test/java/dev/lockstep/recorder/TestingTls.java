package dev.lockstep.recorder;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** TLS ends on blocking sockets, by the JDK alone. */
final class TestingTls {
    private static final char[] NO_PASSWORD = {};

    private TestingTls() {}

    /** Returns a script that plays another one inside TLS, offering these protocols. */
    static TestingServer.Script serve(TlsIdentity identity, TestingServer.Script script, String... protocols) {
        return socket -> {
            SSLSocket tls = (SSLSocket) serving(identity).getSocketFactory().createSocket(socket, null, true);
            tls.setUseClientMode(false);
            SSLParameters parameters = tls.getSSLParameters();
            parameters.setApplicationProtocols(protocols);
            tls.setSSLParameters(parameters);
            tls.startHandshake();
            script.play(tls);
            tls.close();
        };
    }

    /** Returns a client's end over a connected socket, after its handshake. */
    static SSLSocket connect(Socket socket, TlsIdentity trusted, String serverName, String version, String... protocols)
            throws IOException, GeneralSecurityException {
        SSLSocket tls = (SSLSocket) trusting(trusted)
                .getSocketFactory()
                .createSocket(
                        socket, serverName, ((InetSocketAddress) socket.getRemoteSocketAddress()).getPort(), true);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setServerNames(java.util.List.of(new SNIHostName(serverName)));
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(protocols);
        parameters.setProtocols(new String[] {version});
        tls.setSSLParameters(parameters);
        tls.startHandshake();
        return tls;
    }

    private static SSLContext serving(TlsIdentity identity) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(
                "key", identity.key(), NO_PASSWORD, identity.certificates().toArray(new X509Certificate[0]));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        return context(keys.getKeyManagers(), null);
    }

    private static SSLContext trusting(TlsIdentity identity) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("trusted", identity.certificates().get(0));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return context(null, trust.getTrustManagers());
    }

    private static SSLContext context(KeyManager[] keys, TrustManager[] trust) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, trust, null);
        return context;
    }
}
