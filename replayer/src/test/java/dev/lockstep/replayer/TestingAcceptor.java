package dev.lockstep.replayer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Listens on a port of loopback and serves each connection on a thread of its own, for the servers of tests. */
public final class TestingAcceptor implements AutoCloseable {
    /** What is done with connections. */
    public interface Service {
        /**
         * Takes a connection; on the thread that accepts them, one after the other.
         *
         * @param connection its number in the order of acceptance, from 0
         * @return serves it; an IOException ends it quietly, since the client may go away and the test end
         */
        Conversation accepted(int connection, Socket socket) throws IOException;
    }

    /** Serves a connection, which is closed afterwards. */
    public interface Conversation {
        void hold() throws IOException, InterruptedException;
    }

    private static final int BACKLOG = 1024;

    private final ServerSocket server;
    private final AtomicInteger connections = new AtomicInteger();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    public TestingAcceptor(Service service) throws IOException {
        this(new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()), service);
    }

    /** @param server bound; closed with this */
    public TestingAcceptor(ServerSocket server, Service service) {
        this.server = server;
        daemon(() -> {
            while (true) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                sockets.add(socket);
                if (closed) {
                    // Accepted just before: nobody else would close it.
                    socket.close();
                    return;
                }
                Conversation conversation = service.accepted(connections.get(), socket);
                connections.getAndIncrement();
                daemon(() -> {
                    try (socket) {
                        conversation.hold();
                    }
                });
            }
        });
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** Returns how many connections were accepted. */
    public int connections() {
        return connections.get();
    }

    private static void daemon(Conversation task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.hold();
                    } catch (IOException | InterruptedException e) {
                        // The client went away, or the test ended.
                    }
                },
                "testing-acceptor");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
