package dev.lockstep.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A search in a process of its own is killed as by {@code kill -9}, again and again. */
@Tag("full")
final class SearchKillTest {
    private static final int KILLS = 20;
    private static final int EVALUATIONS = 120;

    /**
     * Notes what it is asked, takes a while, and answers what no model learns, so that the search does not end early.
     */
    private static final String PROGRAM = "while read line; do echo \"$line\" >> \"$EVALUATED\"; sleep 0.02;"
            + " t=$(echo \"$line\" | sed -E 's/.*\"trial\":([0-9]+).*/\\1/');"
            + " echo \"{\\\"trial\\\":$t,\\\"value\\\":0.$((t * 7919 % 101 + 100))}\"; done";

    @TempDir
    private Path folder;

    @Test
    void losesNothingAndDoesNothingTwice() throws Exception {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        Path space = Files.writeString(
                folder.resolve("space.json"),
                TestingSearch.SPACE.replace("\"evaluations\": 6", "\"evaluations\": " + EVALUATIONS));
        Path killed = folder.resolve("killed");
        int kills = 0;
        while (kills < KILLS) {
            Process search = start(killed, space);
            // Some before the first evaluation, most in between; a search that ends earlier was killed often enough.
            boolean ended = search.waitFor(random.nextInt(200, 1_000), TimeUnit.MILLISECONDS);
            search.destroyForcibly().waitFor();
            if (ended) {
                assertEquals(0, search.exitValue(), "seed " + seed);
                break;
            }
            kills++;
        }
        String result = finish(killed, space);

        assertEquals(finish(folder.resolve("whole"), space), result, "seed " + seed);
        List<String> journal = Files.readAllLines(killed.resolve("journal.jsonl"));
        assertEquals(1 + 2 * EVALUATIONS, journal.size(), "each trial is asked once and told once, seed " + seed);
        List<String> evaluated = Files.readAllLines(folder.resolve("killed.evaluated"));
        assertTrue(evaluated.size() >= EVALUATIONS && evaluated.size() <= EVALUATIONS + kills, "seed " + seed);
        assertTrue(kills > KILLS / 2, "it was killed " + kills + " times only");
        assertEquals(
                EVALUATIONS, Set.copyOf(evaluated).size(), "what was in progress at a kill is begun again as itself");
    }

    private Process start(Path directory, Path space) throws IOException {
        ProcessBuilder search = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        TestingSearch.class.getName(),
                        directory.toString(),
                        space.toString(),
                        PROGRAM)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(new File(directory + ".out"));
        search.environment().put("EVALUATED", directory + ".evaluated");
        return search.start();
    }

    private String finish(Path directory, Path space) throws Exception {
        Process search = start(directory, space);
        assertTrue(search.waitFor(2, TimeUnit.MINUTES));
        assertEquals(0, search.exitValue());
        return Files.readString(Path.of(directory + ".out"));
    }
}
