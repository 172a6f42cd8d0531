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
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is refused in one line: by a process for a bad file, a wrong option and a port that is taken, in the test's JVM
 * for others. UsageTest and ReplayCommandTest have more.
 */
final class BadInputTest {
    @TempDir
    Path directory;

    @Test
    void refusesAForeignFile() throws Exception {
        Files.writeString(directory.resolve("foreign.bin"), "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(500));

        replay("--targets=c2", "foreign.bin")
                .assertRefused(
                        1, "foreign.bin", "offset 0", "looks like text", "replay import foreign.bin -o imported.bin");
    }

    @Test
    void refusesATruncatedCaptureAndReplaysItWhenAsked() throws Exception {
        Path cut = Files.copy(Replay.SAMPLE, directory.resolve("cut.bin"));
        try (RandomAccessFile file = new RandomAccessFile(cut.toFile(), "rw")) {
            file.setLength(file.length() / 2 + 7);
        }

        OwnJvm.assertRefused(
                1,
                List.of("--targets=c2", cut.toString()),
                "cut.bin",
                "offset",
                "expected",
                "found",
                "--allow-truncated");

        try (OneAnswerServer server = new OneAnswerServer()) {
            String printed = OwnJvm.run(
                    "--allow-truncated",
                    "--output=full",
                    "--targets=a=" + server.address(),
                    "--warmup=0",
                    "--max-lag=10s",
                    "--pace=max",
                    "-n100",
                    "-c2",
                    "-o",
                    directory.resolve("run").toString(),
                    cut.toString());
            assertTrue(printed.contains("capture was cut short"), printed);
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

        OwnJvm.assertRefused(
                1, List.of("--targets=c2", flipped.toString()), "flipped.bin", "offset", "expected", "found");
    }

    @Test
    void refusesAnUnknownTargetWithTheKnownOnes() throws Exception {
        replay("--targets=c3", Replay.SAMPLE.toString()).assertRefused(2, "c3", "c2", "graal");
    }

    @Test
    void saysHowToGetAJvmThatIsNotInstalled() throws Exception {
        OwnJvm.assertRefused(1, List.of("--targets=zing", Replay.SAMPLE.toString()), "zing", "LOCKSTEP_JDKS");
    }

    @Test
    void refusesOptionsThatContradict() throws Exception {
        String sample = Replay.SAMPLE.toString();
        OwnJvm.assertRefused(2, List.of("--targets=c2", "-q", "10", "--pace=max", sample), "-q", "--pace");
        OwnJvm.assertRefused(2, List.of(sample), "--targets");
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

        OwnJvm.assertRefused(
                1,
                List.of("--targets=c2", "-o", run.toString(), Replay.SAMPLE.toString()),
                "run",
                "choose another with -o");

        assertEquals("do not lose me", Files.readString(run.resolve("precious.txt")));
        Path mine = Files.writeString(directory.resolve("mine.bin"), "mine");
        OwnJvm.assertRefused(
                1,
                List.of("record", "--listen=127.0.0.1:0", "--upstream=127.0.0.1:1", "-o", mine.toString()),
                "mine.bin",
                "--force");
        assertEquals("mine", Files.readString(mine));
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
