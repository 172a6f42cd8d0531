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
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KilledRecorderTest {
    @TempDir
    Path folder;

    @Test
    void losesNothingThatWasFlushedWhenItIsKilled() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 4; round++) {
            Path path = folder.resolve("killed-" + round + ".bin");
            long inTheFile = recordAndKill(path, 1 + random.nextInt(10));

            String where = "seed " + seed + " round " + round;
            Capture capture = Capture.open(path, OpenOptions.defaults().allowTruncated(true));
            assertFalse(capture.info().closedProperly(), where);
            assertTrue(capture.requestCount(0) >= inTheFile, where + ": " + capture.requestCount(0));
            int next = 0;
            for (long request = 0; request < capture.requestCount(); request++) {
                if (capture.connection(request) == 0) {
                    assertEquals("request " + next++, text(capture, request), where);
                }
            }
        }
    }

    /** Kills a recorder after it has spoken some times; returns how many requests it said were in the file. */
    private static long recordAndKill(Path path, int lines) throws Exception {
        Process recorder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RecorderToKill.class.getName(),
                        path.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(recorder.getInputStream(), StandardCharsets.US_ASCII))) {
            long inTheFile = 0;
            for (int i = 0; i < lines; i++) {
                String line = said.readLine();
                assertNotNull(line, "the recorder ended by itself");
                inTheFile = Long.parseLong(line);
            }
            return inTheFile;
        } finally {
            recorder.destroyForcibly();
            assertTrue(recorder.waitFor(10, TimeUnit.SECONDS));
        }
    }
}
