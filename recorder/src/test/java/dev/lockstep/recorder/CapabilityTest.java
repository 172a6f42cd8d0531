package dev.lockstep.recorder;

import static dev.lockstep.recorder.TestingClient.GET;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A passive recorder with CAP_NET_RAW and nothing else, and one without it; needs root and setpriv of util-linux. */
@Timeout(60)
final class CapabilityTest {

    @TempDir
    Path directory;

    private Process recorder;

    @BeforeEach
    void needsToGiveUpCapabilities() throws Exception {
        PacketSockets.assumeAllowed();
        String refused = "setpriv does not let us give up capabilities";
        try {
            Process trial = new ProcessBuilder("setpriv", "--bounding-set=-all,+net_raw", "true").start();
            refused = trial.waitFor() == 0 ? null : refused;
        } catch (IOException e) {
            refused = e.getMessage();
        }
        assumeTrue(refused == null, refused);
    }

    @AfterEach
    void stop() {
        if (recorder != null) {
            recorder.destroyForcibly();
        }
    }

    @Test
    void recordsWithNoCapabilityButNetRaw() throws Exception {
        try (TestingServer server = new TestingServer(TestingServer::serveHttp)) {
            BufferedReader out =
                    start("-all,+net_raw", Integer.toString(server.address().getPort()));
            assertEquals("recording", out.readLine());

            try (Socket client =
                    new Socket(server.address().getAddress(), server.address().getPort())) {
                client.getOutputStream().write(Bytes.of(GET));
                Bytes.read(client.getInputStream(), TestingServer.answer(GET, 0).length);
            }
            recorder.getOutputStream().close();

            String seen = out.readLine();
            assertTrue(seen.startsWith("requests 1, recorded 1, "), seen);
            assertTrue(recorder.waitFor(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void saysWhatItNeedsWithoutTheCapability() throws Exception {
        String said = start("-all", "1").readLine();

        assertTrue(said.startsWith("cannot record interface lo: packet sockets need CAP_NET_RAW; "), said);
        assertTrue(said.contains("sudo"), said);
        assertTrue(said.contains("setcap"), said);
        assertFalse(Files.exists(file()));
    }

    private BufferedReader start(String capabilities, String port) throws IOException {
        recorder = new ProcessBuilder(
                        "setpriv",
                        "--bounding-set=" + capabilities,
                        "--inh-caps=-all",
                        Paths.get(System.getProperty("java.home"), "bin", "java")
                                .toString(),
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TestingPassiveRecorder.class.getName(),
                        "lo",
                        port,
                        file().toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new BufferedReader(new InputStreamReader(recorder.getInputStream(), StandardCharsets.UTF_8));
    }

    private Path file() {
        return directory.resolve("capture.bin");
    }
}
