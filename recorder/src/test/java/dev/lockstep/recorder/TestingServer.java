package dev.lockstep.recorder;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A server on blocking sockets, with a thread for each connection that plays a script. */
final class TestingServer implements AutoCloseable {
    /** What the server does with a connection; the socket is closed when it returns. */
    interface Script {
        void play(Socket socket) throws Exception;
    }

    private final ServerSocket listener = new ServerSocket();
    private final List<Socket> sockets = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();

    TestingServer(Script script) throws IOException {
        this(InetAddress.getLoopbackAddress(), script);
    }

    TestingServer(InetAddress address, Script script) throws IOException {
        listener.bind(new InetSocketAddress(address, 0), 1_000);
        start("testing-server", () -> {
            while (true) {
                Socket socket;
                try {
                    socket = listener.accept();
                    socket.setTcpNoDelay(true);
                } catch (IOException closed) {
                    return;
                }
                synchronized (sockets) {
                    sockets.add(socket);
                }
                start("testing-connection", () -> {
                    try (Socket own = socket) {
                        script.play(own);
                    } catch (Throwable t) {
                        synchronized (sockets) {
                            failures.add(t);
                        }
                    }
                });
            }
        });
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** Returns what scripts have thrown. */
    List<Throwable> failures() {
        synchronized (sockets) {
            return new ArrayList<>(failures);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        synchronized (sockets) {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /** Returns a script that sends everything back. */
    static Script echo() {
        return socket -> {
            byte[] bytes = new byte[64 << 10];
            int length;
            while ((length = socket.getInputStream().read(bytes)) >= 0) {
                socket.getOutputStream().write(bytes, 0, length);
            }
        };
    }

    /** Answers every request with its own request line in a chunk and its body's length, until the client ends. */
    static void serveHttp(Socket socket) throws IOException {
        serveHttp(socket, head -> {});
    }

    interface HeadListener {
        void onRequest(String head) throws IOException;
    }

    /** Serves like {@link #serveHttp(Socket)} and tells the head of each request once it was read to its end. */
    static void serveHttp(Socket socket, HeadListener listener) throws IOException {
        InputStream in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
        while (true) {
            String head = readHead(in);
            if (head == null) {
                return;
            }
            if (head.contains("Expect: 100-continue")) {
                socket.getOutputStream().write(Bytes.of("HTTP/1.1 100 Continue\r\n\r\n"));
            }
            long bodyBytes = readBody(in, head);
            listener.onRequest(head);
            socket.getOutputStream().write(answer(head, bodyBytes));
        }
    }

    /** Returns what {@link #serveHttp} answers. */
    static byte[] answer(String head, long bodyBytes) {
        String line = head.substring(0, head.indexOf("\r\n")) + " +" + bodyBytes;
        return Bytes.of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + Integer.toHexString(line.length())
                + "\r\n"
                + line
                + "\r\n0\r\n\r\n");
    }

    private static String readHead(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int ends = 0;
        while (ends < 4) {
            int b = in.read();
            if (b < 0) {
                if (head.size() > 0) {
                    throw new IOException("the request ends in its head: " + head);
                }
                return null;
            }
            head.write(b);
            ends = b == "\r\n\r\n".charAt(ends) ? ends + 1 : b == '\r' ? 1 : 0;
        }
        return head.toString("ISO-8859-1");
    }

    private static long readBody(InputStream in, String head) throws IOException {
        if (head.contains("Transfer-Encoding: chunked")) {
            long total = 0;
            while (true) {
                String sizeLine = readLine(in);
                int size = Integer.parseInt(sizeLine.split(";")[0].trim(), 16);
                if (size == 0) {
                    String trailer;
                    do {
                        trailer = readLine(in);
                    } while (!trailer.isEmpty());
                    return total;
                }
                in.readNBytes(size);
                total += size;
                readLine(in);
            }
        }
        int at = head.indexOf("Content-Length: ");
        if (at < 0) {
            return 0;
        }
        int length = Integer.parseInt(head.substring(at + 16, head.indexOf('\r', at)));
        int read = in.readNBytes(length).length;
        if (read < length) {
            throw new IOException("the body ends after " + read + " of " + length + " bytes");
        }
        return length;
    }

    private static String readLine(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int b = in.read();
            if (b < 0) {
                throw new IOException("the request ends in a line: " + line);
            }
            if (b == '\n') {
                return line.substring(0, line.length() - 1);
            }
            line.append((char) b);
        }
    }

    private static void start(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }
}
