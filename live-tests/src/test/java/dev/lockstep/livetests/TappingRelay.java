package dev.lockstep.livetests;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Stands right behind the clients and keeps what each of their connections sent: the test's own tap, which knows
 * nothing of ours.
 */
final class TappingRelay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int upstreamPort;
    private final List<Integer> ports = new ArrayList<>();
    private final List<ByteArrayOutputStream> connections = new ArrayList<>();

    private TappingRelay(int upstreamPort) throws IOException {
        this.upstreamPort = upstreamPort;
    }

    static TappingRelay start(int upstreamPort) throws IOException {
        TappingRelay relay = new TappingRelay(upstreamPort);
        daemon(relay::accept);
        return relay;
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Returns the port from which each connection was passed on, in the order in which they were opened. */
    synchronized List<Integer> ports() {
        return new ArrayList<>(ports);
    }

    /** Returns what each connection has sent, in the order in which they were opened. */
    synchronized List<byte[]> sent() {
        List<byte[]> sent = new ArrayList<>();
        for (ByteArrayOutputStream connection : connections) {
            synchronized (connection) {
                sent.add(connection.toByteArray());
            }
        }
        return sent;
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket upstream = new Socket(InetAddress.getLoopbackAddress(), upstreamPort);
                client.setTcpNoDelay(true);
                upstream.setTcpNoDelay(true);
                ByteArrayOutputStream tap = new ByteArrayOutputStream();
                synchronized (this) {
                    ports.add(upstream.getLocalPort());
                    connections.add(tap);
                }
                daemon(() -> copy(client, upstream, tap));
                daemon(() -> copy(upstream, client, null));
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private static void copy(Socket from, Socket to, ByteArrayOutputStream tap) {
        byte[] buffer = new byte[1 << 16];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                if (tap != null) {
                    synchronized (tap) {
                        tap.write(buffer, 0, length);
                    }
                }
                out.write(buffer, 0, length);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            close(from);
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
    }
}
