package dev.lockstep.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ThreadPlacementTest {
    private final ExecutorService loop = Executors.newSingleThreadExecutor();
    private final List<Integer> allowed = new ArrayList<>();

    @BeforeEach
    void readAllowed() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/thread-self/status")), "needs Linux");
        for (String range : allowedOfThisThread().split(",")) {
            String[] ends = range.split("-");
            for (int cpu = Integer.parseInt(ends[0]); cpu <= Integer.parseInt(ends[ends.length - 1]); cpu++) {
                allowed.add(cpu);
            }
        }
    }

    @AfterEach
    void stop() {
        loop.shutdownNow();
    }

    @Test
    void givesALoopItsProcessorAndTheOthersAnother() throws Exception {
        assumeTrue(allowed.size() > 1, "needs two processors");
        String own = Integer.toString(allowed.get(0));
        String before = allowedOfThisThread();
        int niceBefore = niceOfThisThread();
        try (ThreadPlacement placement =
                ThreadPlacement.of(allowed.subList(0, 1), allowed.subList(1, allowed.size()), false)) {
            onLoop(() -> {
                placement.placeLoop(0);
                return null;
            });
            placement.placeOthers();

            assertEquals(own, onLoop(ThreadPlacementTest::allowedOfThisThread));
            assertFalse(List.of(allowedOfThisThread().split("[,-]")).contains(own), allowedOfThisThread());
            int nice = onLoop(ThreadPlacementTest::niceOfThisThread);
            if (placement.warnings().isEmpty()) {
                assertEquals(-20, nice);
            } else {
                assertEquals(
                        1, placement.warnings().size(), placement.warnings().toString());
                assertTrue(
                        placement.warnings().get(0).contains("CAP_SYS_NICE"),
                        placement.warnings().toString());
            }
        }
        assertEquals(before, allowedOfThisThread());
        assertEquals(before, onLoop(ThreadPlacementTest::allowedOfThisThread));
        assertEquals(niceBefore, onLoop(ThreadPlacementTest::niceOfThisThread));
    }

    /** A nice value counts within the group of a session only: other sessions made sends late all the same. */
    @Test
    void raisesTheGroupOfItsSessionAndLowersItAgain() throws Exception {
        assumeTrue(allowed.size() > 1, "needs two processors");
        assumeTrue(mayRaise(), "needs CAP_SYS_NICE");
        Path group = Path.of("/proc/self/autogroup");
        boolean grouped = Files.readString(Path.of("/proc/sys/kernel/sched_autogroup_enabled"))
                .startsWith("1");
        String before = Files.readString(group);
        for (List<Integer> others : List.of(allowed.subList(1, allowed.size()), List.<Integer>of())) {
            try (ThreadPlacement placement = ThreadPlacement.of(allowed.subList(0, 1), others, false)) {
                onLoop(() -> {
                    placement.placeLoop(0);
                    return null;
                });
                placement.placeOthers();

                assertEquals(List.of(), placement.warnings());
                assertEquals(grouped ? before.replaceAll(" [^ ]+\n", " -20\n") : before, Files.readString(group));
            }
            assertEquals(before, Files.readString(group));
        }
    }

    @Test
    void lowersTheOthersWhereTheyHaveNoProcessorOfTheirOwn() throws Exception {
        assumeTrue(mayRaise(), "needs CAP_SYS_NICE, to raise again what was lowered");
        int before = niceOfThisThread();
        String cpus = allowedOfThisThread();
        try (ThreadPlacement placement = ThreadPlacement.of(allowed.subList(0, 1), List.of(), true)) {
            onLoop(() -> {
                placement.placeLoop(0);
                return null;
            });
            placement.placeOthers();
            assertEquals(before, niceOfThisThread());
            placement.lowerOthers();

            assertEquals(19, niceOfThisThread());
            assertEquals(before, onLoop(ThreadPlacementTest::niceOfThisThread));
            assertEquals(List.of(), placement.warnings());
        }
        assertEquals(before, niceOfThisThread());
        assertEquals(cpus, allowedOfThisThread());
    }

    @Test
    void saysOnceThatAProcessorIsNotThere() throws Exception {
        try (ThreadPlacement placement = ThreadPlacement.of(List.of(8000, 8001), List.of(), false)) {
            placement.placeLoop(0);
            placement.placeLoop(1);
            placement.placeLoop(2);

            assertEquals(
                    List.of("the replayer's threads are not all on their processors: this process may not use them"),
                    placement.warnings());
        }
    }

    @Test
    void leavesEverythingAsItIsWhenToldNothing() throws Exception {
        String before = allowedOfThisThread();
        try (ThreadPlacement placement = ThreadPlacement.none()) {
            placement.placeLoop(0);
            placement.placeOthers();
            placement.lowerOthers();

            assertEquals(before, allowedOfThisThread());
            assertEquals(List.of(), placement.warnings());
        }
    }

    private boolean mayRaise() throws Exception {
        try (ThreadPlacement placement = ThreadPlacement.of(allowed.subList(0, 1), allowed, false)) {
            onLoop(() -> {
                placement.placeLoop(0);
                return null;
            });
            return placement.warnings().isEmpty();
        }
    }

    private <T> T onLoop(Callable<T> task) throws Exception {
        return loop.submit(task).get();
    }

    private static String allowedOfThisThread() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/thread-self/status"))) {
            if (line.startsWith("Cpus_allowed_list:")) {
                return line.substring(line.indexOf(':') + 1).strip();
            }
        }
        throw new IOException("no list of processors");
    }

    private static int niceOfThisThread() throws IOException {
        return ThreadPlacement.nice(Integer.parseInt(Files.readSymbolicLink(Path.of("/proc/thread-self"))
                .getFileName()
                .toString()));
    }
}
