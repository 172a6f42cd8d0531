package dev.lockstep.app;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A client that sends exactly the bytes it is given and keeps the exact bytes of each answer. One thread. */
final class TestingConnection implements AutoCloseable {
    private static final int TIMEOUT_MS = 60_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private TestingConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    static TestingConnection to(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MS);
        return new TestingConnection(socket);
    }

    Socket socket() {
        return socket;
    }

    /** Sends a request or a part of one; line ends are written as {@code \n} by tests and sent as CR LF. */
    TestingConnection send(String head) throws IOException {
        return send(head.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    TestingConnection send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /** Sends a request with a body of known length. */
    TestingConnection send(String method, String path, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        send(method + " " + path + " HTTP/1.1\nHost: test\nContent-Length: " + bytes.length + "\n\n");
        return send(bytes);
    }

    Answer get(String path) throws IOException {
        return send("GET " + path + " HTTP/1.1\nHost: test\n\n").answer();
    }

    Answer ask(String method, String path, String body) throws IOException {
        return send(method, path, body).answer();
    }

    /** Reads the answer to anything but HEAD. */
    Answer answer() throws IOException {
        return answer(true);
    }

    Answer answerToHead() throws IOException {
        return answer(false);
    }

    private Answer answer(boolean withBody) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!endsWithEmptyLine(head.toByteArray())) {
            int b = in.read();
            if (b < 0) {
                throw new EOFException("the connection ended after '" + head + "'");
            }
            head.write(b);
        }
        Answer answer = new Answer(head.toByteArray());
        boolean empty = !withBody || answer.status == 204 || answer.status < 200;
        int length = Integer.parseInt(answer.headers.getOrDefault("content-length", "0"));
        if (!empty && length > 0) {
            answer.body = in.readNBytes(length);
            if (answer.body.length < length) {
                throw new EOFException("the connection ended in the body");
            }
        }
        return answer;
    }

    private static boolean endsWithEmptyLine(byte[] bytes) {
        int n = bytes.length;
        return n >= 4 && bytes[n - 4] == '\r' && bytes[n - 3] == '\n' && bytes[n - 2] == '\r' && bytes[n - 1] == '\n';
    }

    /** Waits for the server to end the connection and returns what came before that. */
    byte[] rest() throws IOException {
        return in.readAllBytes();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    static final class Answer {
        private final byte[] head;
        private final int status;
        private final Map<String, String> headers = new TreeMap<>();
        private byte[] body = new byte[0];

        private Answer(byte[] head) {
            this.head = head;
            String[] lines = new String(head, StandardCharsets.ISO_8859_1).split("\r\n");
            this.status = Integer.parseInt(lines[0].split(" ")[1]);
            for (int i = 1; i < lines.length; i++) {
                int colon = lines[i].indexOf(':');
                headers.put(
                        lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                        lines[i].substring(colon + 1).trim());
            }
        }

        int status() {
            return status;
        }

        String header(String name) {
            return headers.get(name);
        }

        /** Returns the status line and headers as they came. */
        String head() {
            return new String(head, StandardCharsets.ISO_8859_1);
        }

        String body() {
            return new String(body, StandardCharsets.UTF_8);
        }

        /** Returns everything as it came. */
        String text() {
            return head() + body();
        }
    }
}
