package dev.lockstep.systemtests;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Answers the first bytes of each connection with one response and closes it. */
final class OneAnswerServer implements AutoCloseable {
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ServerSocket server = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());

    OneAnswerServer() throws IOException {
        Thread thread = new Thread(this::serve, "one-answer-server");
        thread.setDaemon(true);
        thread.start();
    }

    String address() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    private void serve() {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                InputStream in = socket.getInputStream();
                if (in.read(new byte[64 * 1024]) > 0) {
                    socket.getOutputStream().write(ANSWER);
                    socket.shutdownOutput();
                    in.readNBytes(in.available());
                }
            } catch (IOException e) {
                // The client went away, or the test ended.
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
