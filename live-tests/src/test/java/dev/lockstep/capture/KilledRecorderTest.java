package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recorders that are killed at random points: fifty in all, each going on with what the one before has left. */
@Tag("full")
final class KilledRecorderTest {
    private static final int KILLS = 10;
    private static final OpenOptions OPEN = OpenOptions.defaults().encryption(GoldenCaptures.KEY);

    /** Beyond the flush interval: how long a busy machine may keep the writer's thread waiting. */
    private static final long SLACK_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    Path folder;

    @Test
    void losesAtMostTheFlushInterval() throws Exception {
        killAgainAndAgain("plain");
    }

    @Test
    void losesNoMoreOfACompressedCapture() throws Exception {
        killAgainAndAgain("compressed");
    }

    @Test
    void losesNoMoreOfAnEncryptedCapture() throws Exception {
        killAgainAndAgain("encrypted");
    }

    @Test
    void losesNoMoreOfARotatedCapture() throws Exception {
        killAgainAndAgain("rotated");
    }

    @Test
    void losesNoMoreOfACaptureThatIsAllOfThat() throws Exception {
        killAgainAndAgain("all");
    }

    private void killAgainAndAgain(String kind) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Path path = folder.resolve("killed.bin");
        List<Integer> inTheFile = new ArrayList<>();
        for (int run = 0; run < KILLS; run++) {
            String where = kind + ", seed " + seed + ", run " + run;
            inTheFile.add(recordAndKill(path, run, kind, 1 + random.nextInt(200), where));
            long killedNs = System.nanoTime();

            Capture capture = Capture.open(path, OPEN);
            assertFalse(capture.info().closedProperly(), where);
            assertEquals(run, capture.info().appends(), where);
            long lastNs = check(capture, inTheFile, where);
            long flushNs = CaptureOptions.defaults().flushIntervalNs();
            assertTrue(killedNs - lastNs < flushNs + SLACK_NS, where + ": " + (killedNs - lastNs) + " ns are lost");
            assertEquals(
                    capture.info().cutBytes(),
                    CaptureReader.verify(path, OpenOptions.defaults()).cutBytes(),
                    where);
        }
    }

    /** Checks that each run's requests are all there, in a row; returns the time of the last one. */
    private static long check(Capture capture, List<Integer> inTheFile, String where) {
        int[] next = new int[inTheFile.size()];
        long lastNs = 0;
        for (long request = 0; request < capture.requestCount(); request++) {
            if (capture.connection(request) % 2 == 0) {
                String[] words = text(capture, request).split(" ");
                int run = Integer.parseInt(words[0]);
                assertEquals(run, capture.connection(request) / 2, where);
                assertEquals(next[run]++, Integer.parseInt(words[1]), where);
                lastNs = Long.parseLong(words[2]);
            }
        }
        for (int run = 0; run < next.length; run++) {
            assertTrue(
                    next[run] > inTheFile.get(run),
                    where + ": of run " + run + " " + inTheFile.get(run) + " was seen, and " + next[run]
                            + " are there");
        }
        return lastNs;
    }

    /** Kills a recorder after it has spoken some times; returns the last request that it said was in the file. */
    private static int recordAndKill(Path path, int run, String kind, int lines, String where) throws Exception {
        Process recorder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RecorderToKill.class.getName(),
                        path.toString(),
                        Integer.toString(run),
                        kind)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(recorder.getInputStream(), StandardCharsets.US_ASCII))) {
            int inTheFile = -1;
            for (int i = 0; i < lines; i++) {
                String line = said.readLine();
                assertNotNull(line, where + ": the recorder ended by itself");
                inTheFile = Integer.parseInt(line.split(" ")[1]);
            }
            return inTheFile;
        } finally {
            recorder.destroyForcibly();
            assertTrue(recorder.waitFor(60, TimeUnit.SECONDS));
        }
    }
}
