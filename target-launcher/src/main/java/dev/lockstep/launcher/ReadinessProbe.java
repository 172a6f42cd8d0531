package dev.lockstep.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Asks a server whether it is there: is the port open, is there a good answer. Used by one thread. */
final class ReadinessProbe {
    private static final int CONNECT_TIMEOUT_MS = 1_000;
    private static final int ANSWER_TIMEOUT_MS = 2_000;

    private final InetSocketAddress address;
    private final String path;
    private long portOpenAtNs;
    private String lastSeen = "not asked yet";

    /** @param path of the request; empty: an open port is enough */
    ReadinessProbe(InetSocketAddress address, String path) {
        this.address = address;
        this.path = path;
    }

    /** Asks once. Good is an HTTP answer with a status from 200 to 399. */
    boolean isReady() {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_TIMEOUT_MS);
            if (socket.getLocalSocketAddress().equals(socket.getRemoteSocketAddress())) {
                // On loopback a connection to a free port of the ephemeral range can meet itself.
                lastSeen = "connection refused";
                return false;
            }
            if (portOpenAtNs == 0) {
                portOpenAtNs = System.nanoTime();
            }
            if (path.isEmpty()) {
                return true;
            }
            socket.setSoTimeout(ANSWER_TIMEOUT_MS);
            String request = "GET " + path + " HTTP/1.1\r\nHost: " + address.getHostString() + ":" + address.getPort()
                    + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String statusLine = firstLine(socket.getInputStream());
            if (!statusLine.matches("HTTP/1\\.[01] [0-9]{3}.*")) {
                lastSeen = "port open, but the answer to GET " + path + " was '" + statusLine + "'";
                return false;
            }
            lastSeen = "port open, GET " + path + " answered '" + statusLine + "'";
            return statusLine.charAt(9) == '2' || statusLine.charAt(9) == '3';
        } catch (ConnectException e) {
            lastSeen = "connection refused";
            return false;
        } catch (IOException e) {
            lastSeen = (portOpenAtNs == 0 ? "" : "port open, but ") + e.getMessage();
            return false;
        }
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

    /** Returns what the last question met, for people. */
    String lastSeen() {
        return lastSeen;
    }
}
