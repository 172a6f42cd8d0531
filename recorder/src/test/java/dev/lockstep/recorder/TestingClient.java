package dev.lockstep.recorder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What the tests do as clients of {@link TestingServer#serveHttp}, on blocking sockets. */
final class TestingClient {
    static final String GET = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
    static final int TIMEOUT_MS = 60_000;

    private TestingClient() {}

    static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MS);
        socket.connect(address, TIMEOUT_MS);
        return socket;
    }

    /** Sends {@link #GET} and takes its answer. */
    static void exchange(Socket client) throws IOException {
        exchange(client, Bytes.of(GET), GET, 0);
    }

    static void exchange(Socket client, byte[] request, String head, long bodyBytes) throws IOException {
        client.getOutputStream().write(request);
        assertAnswer(client, head, bodyBytes);
    }

    static void assertAnswer(Socket client, String head, long bodyBytes) throws IOException {
        byte[] answer = TestingServer.answer(head, bodyBytes);
        assertArrayEquals(answer, Bytes.read(client.getInputStream(), answer.length));
    }

    /** Sends 50 times ten requests at once, takes their answers, and returns the requests. */
    static List<String> pipeline(Socket client) throws IOException {
        List<String> sent = new ArrayList<>();
        for (int round = 0; round < 50; round++) {
            StringBuilder batch = new StringBuilder();
            StringBuilder answers = new StringBuilder();
            for (int i = 0; i < 10; i++) {
                String request = "GET /" + round + "/" + i + " HTTP/1.1\r\nHost: h\r\n\r\n";
                sent.add(request);
                batch.append(request);
                answers.append(Bytes.text(TestingServer.answer(request, 0)));
            }
            client.getOutputStream().write(Bytes.of(batch.toString()));
            assertEquals(answers.toString(), Bytes.text(Bytes.read(client.getInputStream(), answers.length())));
        }
        return sent;
    }

    static void awaitTrue(BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadlineNs, "still waiting");
            LockSupport.parkNanos(1_000_000);
        }
    }
}
