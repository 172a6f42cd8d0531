package dev.lockstep.recorder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpenOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A recorder in a process that the kernel denies what it needs: files that grow on, and file descriptors. */
@Timeout(60)
@EnabledOnOs(OS.LINUX)
final class LimitedProcessTest {
    private static final int BODY_BYTES = 20_000;
    private static final int REQUESTS = 200;

    @TempDir
    Path directory;

    private Process recorder;
    private BufferedReader out;
    private int port;

    @AfterEach
    void stop() {
        if (recorder != null) {
            recorder.destroyForcibly();
        }
    }

    /** The limit on the size of a file stands for a full disk: both fail the write that goes too far. */
    @Test
    void goesOnProxyingWhenTheDiskIsFull() throws Exception {
        int limitBytes = 1 << 20;
        try (TestingServer server = new TestingServer(TestingServer::serveHttp)) {
            // POSIX counts the limit in blocks of 512 bytes.
            start("ulimit -f " + limitBytes / 512, server);
            sendPosts();
            String failure = ask("failure");
            assertEquals(REQUESTS, Integer.parseInt(ask("requests")));
            while (failure.equals("null")) {
                sendPosts();
                failure = ask("failure");
            }
            assertTrue(failure.contains(file().toString()), failure);

            recorder.getOutputStream().close();
            assertTrue(recorder.waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, recorder.exitValue());
        }

        try (Capture capture = Capture.open(file(), OpenOptions.defaults().allowTruncated(true))) {
            assertTrue(capture.requestCount() > 0, "what was written before is readable");
            assertTrue(capture.requestCount() * BODY_BYTES <= limitBytes);
            for (int i = 0; i < capture.requestCount(); i++) {
                assertArrayEquals(Bytes.post("/" + i, BODY_BYTES, i), Bytes.request(capture, i));
            }
        }
    }

    @Test
    void acceptsAgainWhenFileDescriptorsAreFree() throws Exception {
        try (TestingServer server = new TestingServer(TestingServer::serveHttp)) {
            start("ulimit -n 150", server);
            // Loads the classes; from a directory, each takes a descriptor for a moment.
            sendPosts();
            List<Socket> clients = new ArrayList<>();
            try {
                while (ask("acceptFailures").equals("0")
                        && ask("upstreamFailures").equals("0")) {
                    clients.add(new Socket(InetAddress.getLoopbackAddress(), port));
                }
            } finally {
                for (Socket client : clients) {
                    client.close();
                }
            }
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!servesAgain()) {
                assertTrue(System.nanoTime() < deadlineNs, "does not serve again");
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
    }

    /** Returns false where a client is turned away still, since the recorder has not seen yet that the others left. */
    private boolean servesAgain() throws Exception {
        try {
            sendPosts();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void start(String limit, TestingServer server) throws Exception {
        recorder = new ProcessBuilder(
                        "sh",
                        "-c",
                        limit + " && exec \"$@\"",
                        "sh",
                        Paths.get(System.getProperty("java.home"), "bin", "java")
                                .toString(),
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TestingRecorder.class.getName(),
                        "0",
                        Integer.toString(server.address().getPort()),
                        file().toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        out = new BufferedReader(new InputStreamReader(recorder.getInputStream(), StandardCharsets.UTF_8));
        port = Integer.parseInt(out.readLine());
    }

    private String ask(String what) throws Exception {
        recorder.getOutputStream().write((what + "\n").getBytes(StandardCharsets.UTF_8));
        recorder.getOutputStream().flush();
        String answer = out.readLine();
        assertNotNull(answer, "the recorder is alive");
        return answer;
    }

    private void sendPosts() throws Exception {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            client.setSoTimeout(60_000);
            for (int i = 0; i < REQUESTS; i++) {
                TestingClient.exchange(
                        client, Bytes.post("/" + i, BODY_BYTES, i), "POST /" + i + " HTTP/1.1\r\n", BODY_BYTES);
            }
        }
    }

    private Path file() {
        return directory.resolve("capture.bin");
    }
}
