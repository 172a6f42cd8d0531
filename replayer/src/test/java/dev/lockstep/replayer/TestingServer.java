package dev.lockstep.replayer;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP/1.1 server over blocking sockets that keeps what it received and answers as the test says. */
final class TestingServer implements AutoCloseable {
    /** Answers a request; the connection is closed where it returns false. */
    interface Handler {
        boolean answer(int connection, String head, Socket socket, OutputStream out)
                throws IOException, InterruptedException;
    }

    static final Handler OK = (connection, head, socket, out) -> {
        out.write(ok("ok"));
        return true;
    };

    private final ServerSocket server;
    private final Handler handler;
    private final AtomicInteger connections = new AtomicInteger();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Map<Integer, ByteArrayOutputStream> received = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    TestingServer(Handler handler) throws IOException {
        this(handler, new ServerSocket(0, 1024, InetAddress.getLoopbackAddress()));
    }

    /** @param server bound; closed with this */
    TestingServer(Handler handler, ServerSocket server) {
        this.handler = handler;
        this.server = server;
        daemon(this::accept);
    }

    static byte[] ok(String body) {
        return ("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * Keeps a request waiting for at least so long. In many short sleeps: where the whole process stands still, the client
     * too, that is one of them, and the client still sees the others.
     */
    static void stall(int ms) throws InterruptedException {
        for (int i = 0; i < ms; i++) {
            Thread.sleep(1);
        }
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** Returns the bytes received on the n-th connection, in order of acceptance from 0. */
    String received(int connection) {
        return received.get(connection).toString(StandardCharsets.ISO_8859_1);
    }

    /** Returns how many connections were accepted. */
    int connections() {
        return connections.get();
    }

    /** Returns the request lines in order of arrival. */
    List<String> requests() {
        return requests;
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                sockets.add(socket);
                if (closed) {
                    // Accepted just before: nobody else would close it.
                    socket.close();
                    return;
                }
                int connection = connections.get();
                received.put(connection, new ByteArrayOutputStream());
                connections.getAndIncrement();
                daemon(() -> serve(connection, socket));
            }
        } catch (IOException e) {
            // Closed by the test.
        }
    }

    private void serve(int connection, Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            ByteArrayOutputStream kept = received.get(connection);
            boolean open = true;
            while (open) {
                String head = head(in, kept);
                if (head == null) {
                    return;
                }
                int length = 0;
                for (String line : head.split("\r\n")) {
                    if (line.startsWith("Content-Length: ")) {
                        length = Integer.parseInt(line.substring(16));
                    }
                }
                for (int left = length; left > 0; ) {
                    byte[] body = in.readNBytes(Math.min(left, 64 * 1024));
                    kept.write(body);
                    left -= body.length;
                    if (body.length == 0) {
                        return;
                    }
                }
                requests.add(head.substring(0, head.indexOf("\r\n")));
                open = handler.answer(connection, head, socket, socket.getOutputStream());
            }
        } catch (IOException | InterruptedException e) {
            // The client went away, or the test ended.
        }
    }

    private static String head(InputStream in, ByteArrayOutputStream kept) throws IOException {
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            int b = in.read();
            if (b < 0) {
                return null;
            }
            kept.write(b);
            head.append((char) b);
        }
        return head.toString();
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "testing-server");
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
