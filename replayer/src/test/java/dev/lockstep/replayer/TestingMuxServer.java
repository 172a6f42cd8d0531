package dev.lockstep.replayer;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A mux server over blocking sockets that keeps what it received and answers as the test says. */
final class TestingMuxServer implements AutoCloseable {
    static final int T_REQUEST = 1;
    static final int T_DISPATCH = 2;
    static final int T_DRAIN = 64;
    static final int T_PING = 65;
    static final int T_LEASE = 67;
    static final int T_INIT = 68;
    static final int R_DISPATCH = -2;
    static final int R_INIT = -68;
    static final int R_ERR = -128;
    static final int OLD_R_ERR = 127;
    static final int FRAGMENT = 1 << 23;

    static final int OK = 0;
    static final int ERROR = 1;
    static final int NACK = 2;

    /** Takes a frame from the client. */
    interface Handler {
        /** @param tag with the bit that says that more follows */
        void frame(Session session, int type, int tag, byte[] body) throws IOException;
    }

    /** Knows the handshake, and answers each dispatch with its own payload. */
    static final Handler ECHO = (session, type, tag, body) -> {
        if (!session.handshake(type, tag, body) && type == T_DISPATCH && tag < FRAGMENT) {
            session.answer(tag, OK, body);
        }
    };

    /** One connection. */
    static final class Session {
        final int number;
        private final Socket socket;
        private final DataOutputStream out;
        /** The dispatches so far, fragments apart. */
        int dispatches;

        Session(int number, Socket socket) throws IOException {
            this.number = number;
            this.socket = socket;
            out = new DataOutputStream(socket.getOutputStream());
        }

        /** Does the server's side of the handshake; returns whether the frame belongs to it. */
        boolean handshake(int type, int tag, byte[] body) throws IOException {
            return handshake(type, tag, body, "tls", "off");
        }

        boolean handshake(int type, int tag, byte[] body, String... headers) throws IOException {
            if (type == OLD_R_ERR) {
                send(type, tag, body);
            } else if (type == T_INIT) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                DataOutputStream init = new DataOutputStream(bytes);
                init.writeShort(1);
                for (String header : headers) {
                    init.writeInt(header.length());
                    init.writeBytes(header);
                }
                send(R_INIT, tag, bytes.toByteArray());
            } else {
                return false;
            }
            return true;
        }

        void answer(int tag, int status, byte[] payload) throws IOException {
            byte[] body = new byte[3 + payload.length];
            body[0] = (byte) status;
            System.arraycopy(payload, 0, body, 3, payload.length);
            send(R_DISPATCH, tag, body);
        }

        synchronized void send(int type, int tag, byte[] body) throws IOException {
            send(frame(type, tag, body));
        }

        synchronized void send(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
        }

        void close() throws IOException {
            socket.close();
        }
    }

    private final TestingAcceptor acceptor;
    private final Handler handler;
    private final List<String> received = new CopyOnWriteArrayList<>();

    TestingMuxServer(Handler handler) throws IOException {
        this.handler = handler;
        acceptor = new TestingAcceptor((connection, socket) -> {
            Session session = new Session(connection, socket);
            return () -> serve(session, socket);
        });
    }

    static byte[] frame(int type, int tag, byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(4 + body.length);
        out.writeInt(type << 24 | tag);
        out.write(body);
        return bytes.toByteArray();
    }

    InetSocketAddress address() {
        return acceptor.address();
    }

    int connections() {
        return acceptor.connections();
    }

    /** Returns the frames in order of arrival, as "connection type tag body". */
    List<String> received() {
        return received;
    }

    /** Waits until a frame, as {@link #received} has it, has come. */
    void awaitFrame(String frame) throws InterruptedException {
        long untilNs = System.nanoTime() + 60_000_000_000L;
        while (!received.contains(frame)) {
            if (System.nanoTime() - untilNs > 0) {
                throw new AssertionError("no frame " + frame + " among " + received);
            }
            Thread.sleep(1);
        }
    }

    private void serve(Session session, Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        while (true) {
            int length = in.readInt();
            int header = in.readInt();
            byte[] body = in.readNBytes(length - 4);
            int type = header >> 24;
            int tag = header & 0xffffff;
            String fragment = (tag & FRAGMENT) != 0 ? "+" : "";
            received.add(session.number + " " + type + " " + (tag & ~FRAGMENT) + fragment + " "
                    + new String(body, StandardCharsets.ISO_8859_1));
            session.dispatches += type == T_DISPATCH && fragment.isEmpty() ? 1 : 0;
            handler.frame(session, type, tag, body);
        }
    }

    @Override
    public void close() throws IOException {
        acceptor.close();
    }
}
