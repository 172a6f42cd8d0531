package dev.lockstep.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Asks a server whether it is there: is the port open, is there a good answer. Used by one thread. */
final class ReadinessProbe {
    private static final int CONNECT_TIMEOUT_MS = 1_000;
    private static final int ANSWER_TIMEOUT_MS = 2_000;
    private static final int MAX_CAUSES = 16;

    /** Where it asks. */
    final InetSocketAddress address;

    private final String path;
    private final SSLContext tls;
    private final boolean tlsNames;
    private boolean refused;
    private boolean asked;
    private long portOpenAtNs;
    private String lastSeen = "not asked yet";

    /**
     * @param path of the request; empty: an open port is enough
     * @param tls spoken to the server, its certificate checked for the address's host if {@code tlsNames}; or null
     */
    ReadinessProbe(InetSocketAddress address, String path, SSLContext tls, boolean tlsNames) {
        this.address = address;
        this.path = path;
        this.tls = tls;
        this.tlsNames = tlsNames;
    }

    /**
     * Asks once. The TLS handshake, if there is one, must succeed. A good answer is HTTP with a status from 200 to 399.
     */
    boolean isReady() {
        asked = false;
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_TIMEOUT_MS);
            if (socket.getLocalSocketAddress().equals(socket.getRemoteSocketAddress())) {
                // On loopback a connection to a free ephemeral port can connect to itself.
                lastSeen = "connection refused";
                return false;
            }
            if (portOpenAtNs == 0) {
                portOpenAtNs = System.nanoTime();
            }
            socket.setSoTimeout(ANSWER_TIMEOUT_MS);
            return tls == null ? isReady(socket) : isReadyInTls(socket);
        } catch (ConnectException e) {
            lastSeen = "connection refused";
            return false;
        } catch (SSLException e) {
            lastSeen = "port open, but TLS failed: " + rootMessage(e);
            return false;
        } catch (IOException e) {
            lastSeen = (portOpenAtNs == 0 ? "" : "port open, but ") + e.getMessage();
            return false;
        }
    }

    private boolean isReadyInTls(Socket socket) throws IOException {
        try (SSLSocket secured = (SSLSocket)
                tls.getSocketFactory().createSocket(socket, address.getHostString(), address.getPort(), true)) {
            SSLParameters parameters = secured.getSSLParameters();
            nameHost(parameters);
            if (tlsNames) {
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
            }
            secured.setSSLParameters(parameters);
            try {
                secured.startHandshake();
            } catch (SSLException e) {
                // A handshake that was cut off may succeed later; a bad certificate stays bad.
                refused = !(e.getCause() instanceof IOException);
                throw e;
            }
            return isReady(secured);
        }
    }

    /**
     * Names a host without a dot, such as a container's, to the server (SNI): Java names only the others. The replayer
     * resumes this session, and would name nobody either.
     */
    private void nameHost(SSLParameters parameters) {
        String host = address.getHostString();
        if (host.contains(".") || host.contains(":")) {
            return;
        }
        try {
            parameters.setServerNames(List.of(new SNIHostName(host)));
        } catch (IllegalArgumentException e) {
            // Such as one with an underscore, which cannot be asked for.
        }
    }

    private boolean isReady(Socket socket) throws IOException {
        if (path.isEmpty()) {
            lastSeen = "port open";
            return true;
        }
        String request = "GET " + path + " HTTP/1.1\r\nHost: " + hostAndPort(address) + "\r\nConnection: close\r\n\r\n";
        asked = true;
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        String statusLine;
        try {
            statusLine = firstLine(socket.getInputStream());
        } catch (SocketTimeoutException e) {
            lastSeen = "port open, but no answer to GET " + path + " within " + ANSWER_TIMEOUT_MS / 1_000 + " s";
            return false;
        }
        if (!statusLine.matches("HTTP/1\\.[01] [0-9]{3}.*")) {
            lastSeen = "port open, but the answer to GET " + path + " was '" + statusLine + "'";
            return false;
        }
        lastSeen = "port open, GET " + path + " answered '" + statusLine + "'";
        return statusLine.charAt(9) == '2' || statusLine.charAt(9) == '3';
    }

    /** Writes an address as URLs and the header Host have it: an IPv6 one in brackets, and without a zone. */
    static String hostAndPort(InetSocketAddress address) {
        String host = address.getHostString();
        return (host.contains(":") ? "[" + host.replaceFirst("%.*", "") + "]" : host) + ":" + address.getPort();
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        for (int depth = 0; depth < MAX_CAUSES && root.getCause() != null; depth++) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage()).replaceAll("[\\s\\p{Cntrl}]+", " ");
    }

    private static String firstLine(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b >= 0 && b != '\r' && b != '\n' && line.length() < 200; b = in.read()) {
            line.append(b >= ' ' && b <= '~' ? (char) b : '?');
        }
        return line.toString();
    }

    /** Returns when the first connection was accepted, {@link System#nanoTime()}; 0 when none was. */
    long portOpenAtNs() {
        return portOpenAtNs;
    }

    /** Whether the server refused our TLS, or we refused its: then there is no use in asking again. */
    boolean isRefused() {
        return refused;
    }

    /** Whether it was asked for a path, which is perhaps never answered well. */
    boolean mayAskForTheWrongPath() {
        return asked;
    }

    /** Returns what the last question met, for people. */
    String lastSeen() {
        return lastSeen;
    }
}
