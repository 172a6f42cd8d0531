package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One line and the exit code of a process each; UsageTest and ReplayCommandTest have the others, without a process. */
final class BadInputTest {
    @TempDir
    Path directory;

    @Test
    void refusesAForeignFile() throws Exception {
        Files.writeString(directory.resolve("foreign.bin"), "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(500));

        replay("--targets=c2", "foreign.bin").assertRefused(1, "foreign.bin", "offset 0", "expected", "found");
    }

    @Test
    void refusesATruncatedCaptureAndReplaysItWhenAsked() throws Exception {
        Path cut = Files.copy(Replay.SAMPLE, directory.resolve("cut.bin"));
        try (RandomAccessFile file = new RandomAccessFile(cut.toFile(), "rw")) {
            file.setLength(file.length() / 2 + 7);
        }

        replay("--targets=c2", "cut.bin")
                .assertRefused(1, "cut.bin", "offset", "expected", "found", "--allow-truncated");

        try (OneAnswerServer server = new OneAnswerServer()) {
            Replay allowed = replay(
                    "--allow-truncated",
                    "--output=full",
                    "--targets=a=" + server.address(),
                    "--warmup=0",
                    "--max-lag=10s",
                    "--pace=max",
                    "-n100",
                    "-c2",
                    "-o",
                    "run",
                    "cut.bin");
            assertEquals(0, allowed.exitCode(), allowed.toString());
            assertTrue(allowed.stdout().contains("capture was cut short"), allowed.toString());
        }
    }

    @Test
    void refusesABitFlippedCapture() throws Exception {
        Path flipped = Files.copy(Replay.SAMPLE, directory.resolve("flipped.bin"));
        try (RandomAccessFile file = new RandomAccessFile(flipped.toFile(), "rw")) {
            file.seek(100_000);
            int b = file.read();
            file.seek(100_000);
            file.write(b ^ 0x10);
        }

        replay("--targets=c2", "flipped.bin").assertRefused(1, "flipped.bin", "offset", "expected", "found");
    }

    @Test
    void refusesAnUnknownTargetWithTheKnownOnes() throws Exception {
        replay("--targets=c3", Replay.SAMPLE.toString()).assertRefused(2, "c3", "c2", "graal");
    }

    @Test
    void saysHowToGetAJvmThatIsNotInstalled() throws Exception {
        replay("--targets=zing", Replay.SAMPLE.toString()).assertRefused(1, "zing", "LOCKSTEP_JDKS");
    }

    @Test
    void refusesOptionsThatContradict() throws Exception {
        String sample = Replay.SAMPLE.toString();
        replay("--targets=c2", "-q", "10", "--pace=max", sample).assertRefused(2, "-q", "--pace");
        replay(sample).assertRefused(2, "--targets");
    }

    @Test
    @Tag("full")
    void refusesToReplayToNobody() throws Exception {
        try (Socket unused = new Socket()) {
            // A bound port on which nobody listens; the kernel gives it to nobody else.
            unused.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String address = "127.0.0.1:" + unused.getLocalPort();

            Replay replay =
                    replay("--targets=a=" + address, "--ready-timeout=1s", "-o", "run", Replay.SAMPLE.toString());

            assertEquals(1, replay.exitCode(), replay.toString());
            assertTrue((replay.stderr() + replay.stdout()).contains(address), replay.toString());
        }
    }

    @Test
    void overwritesNothingWithoutForce() throws Exception {
        Path run = Files.createDirectory(directory.resolve("run"));
        Files.writeString(run.resolve("precious.txt"), "do not lose me");

        replay("--targets=c2", "-o", "run", Replay.SAMPLE.toString()).assertRefused(1, "run", "choose another with -o");

        assertEquals("do not lose me", Files.readString(run.resolve("precious.txt")));
        Files.writeString(directory.resolve("mine.bin"), "mine");
        replay("record", "--listen=127.0.0.1:0", "--upstream=127.0.0.1:1", "-o", "mine.bin")
                .assertRefused(1, "mine.bin", "--force");
        assertEquals("mine", Files.readString(directory.resolve("mine.bin")));
    }

    @Test
    void refusesToRecordOnATakenPort() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String listen = "127.0.0.1:" + taken.getLocalPort();

            replay("record", "--listen=" + listen, "--upstream=127.0.0.1:1", "-o", "x.bin")
                    .assertRefused(1, listen, "taken");
        }
    }

    private Replay replay(String... arguments) throws Exception {
        return Replay.run(directory, arguments);
    }
}
