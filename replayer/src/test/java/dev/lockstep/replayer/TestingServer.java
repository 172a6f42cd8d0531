package dev.lockstep.replayer;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** An HTTP/1.1 server over blocking sockets that keeps what it received and answers as the test says. */
public final class TestingServer implements AutoCloseable {
    /** Answers a request; the connection is closed where it returns false. */
    public interface Handler {
        boolean answer(int connection, String head, Socket socket, OutputStream out)
                throws IOException, InterruptedException;
    }

    public static final Handler OK = (connection, head, socket, out) -> {
        out.write(ok("ok"));
        return true;
    };

    private final TestingAcceptor acceptor;
    private final Handler handler;
    private final Map<Integer, ByteArrayOutputStream> received = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    public TestingServer(Handler handler) throws IOException {
        this.handler = handler;
        acceptor = new TestingAcceptor(this::accepted);
    }

    /** @param server bound; closed with this */
    public TestingServer(Handler handler, ServerSocket server) {
        this.handler = handler;
        acceptor = new TestingAcceptor(server, this::accepted);
    }

    public static byte[] ok(String body) {
        return ("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * Keeps a request waiting for at least so long. In many short sleeps: where the whole process stands still, the
     * client too, that is one of them, and the client still sees the others.
     */
    public static void stall(int ms) throws InterruptedException {
        for (int i = 0; i < ms; i++) {
            Thread.sleep(1);
        }
    }

    public InetSocketAddress address() {
        return acceptor.address();
    }

    /** Returns the bytes received on the n-th connection, in order of acceptance from 0. */
    public String received(int connection) {
        return received.get(connection).toString(StandardCharsets.ISO_8859_1);
    }

    /** Returns how many connections were accepted. */
    public int connections() {
        return acceptor.connections();
    }

    /** Returns the request lines in order of arrival. */
    public List<String> requests() {
        return requests;
    }

    private TestingAcceptor.Conversation accepted(int connection, Socket socket) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        received.put(connection, kept);
        return () -> serve(connection, socket, kept);
    }

    private void serve(int connection, Socket socket, ByteArrayOutputStream kept)
            throws IOException, InterruptedException {
        InputStream in = new BufferedInputStream(socket.getInputStream());
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

    @Override
    public void close() throws IOException {
        acceptor.close();
    }
}
