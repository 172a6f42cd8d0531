package dev.lockstep.replayer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A server over blocking sockets that follows a script on each connection and keeps what it received. */
public final class TestingStreamServer implements AutoCloseable {
    /** What is done with a connection, which is closed afterwards. */
    public interface Script {
        public void serve(int connection, Input in, OutputStream out) throws IOException, InterruptedException;
    }

    /** What a client sends. */
    public static final class Input {
        private final InputStream in;
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

        private Input(InputStream in) {
            this.in = in;
        }

        /** Reads these bytes; ends the script where others come. */
        public void expect(String text) throws IOException {
            String found = new String(read(text.length()), StandardCharsets.ISO_8859_1);
            if (!found.equals(text)) {
                throw new IOException("expected " + text + ", found " + found);
            }
        }

        public byte[] read(int length) throws IOException {
            byte[] bytes = in.readNBytes(length);
            kept.writeBytes(bytes);
            return bytes;
        }

        /** Reads up to the end. */
        public void readAll() throws IOException {
            int b;
            while ((b = in.read()) >= 0) {
                kept.write(b);
            }
        }

        /** Keeps the target busy for a known time, as {@link TestingServer#stall} does. */
        public void pause(int ms) throws InterruptedException {
            TestingServer.stall(ms);
        }
    }

    private final TestingAcceptor acceptor;
    private final Map<Integer, Input> inputs = new ConcurrentHashMap<>();
    private final Map<Integer, CountDownLatch> ends = new ConcurrentHashMap<>();

    public TestingStreamServer(Script script) throws IOException {
        acceptor = new TestingAcceptor((connection, socket) -> {
            Input input = new Input(socket.getInputStream());
            CountDownLatch end = new CountDownLatch(1);
            inputs.put(connection, input);
            ends.put(connection, end);
            return () -> {
                try {
                    script.serve(connection, input, socket.getOutputStream());
                } finally {
                    socket.close();
                    end.countDown();
                }
            };
        });
    }

    public InetSocketAddress address() {
        return acceptor.address();
    }

    public int connections() {
        return acceptor.connections();
    }

    /** Returns all bytes received on the n-th connection, once its script has ended. */
    public String received(int connection) throws InterruptedException {
        if (!ends.get(connection).await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the script of connection " + connection + " goes on");
        }
        return inputs.get(connection).kept.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        acceptor.close();
    }
}
