package dev.lockstep.recorder;

import dev.lockstep.net.Tls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** TLS ends on blocking sockets. */
final class TestingTls {
    private TestingTls() {}

    /** Returns a script that plays another one inside TLS, offering these protocols. */
    static TestingServer.Script serve(TlsIdentity identity, TestingServer.Script script, String... protocols) {
        return socket -> {
            SSLContext context = Tls.context(Tls.keys(identity.key(), identity.certificates()), null);
            SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(socket, null, true);
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
        SSLSocket tls = (SSLSocket) Tls.context(null, Tls.trust(trusted.certificates()))
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
}
