package dev.lockstep.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcCosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is made of a log and of published counters together. */
class TargetMonitorTest {
    private static final List<Cost> OF_COLLECTIONS =
            List.of(Cost.GC_CYCLES, Cost.GC_PAUSE, Cost.SAFEPOINT, Cost.ALLOCATED);

    @TempDir
    private Path folder;

    /** A process that publishes nothing. */
    private Process process;

    @BeforeEach
    void start() throws IOException {
        process = new ProcessBuilder("sleep", "600").start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    private TargetMonitor open(long pid, GcLogFormat format) {
        GcLog log = GcLog.open(folder.resolve("gc.log"), format, OptionalLong.of(System.nanoTime()));
        return TargetMonitor.open(pid, Map.of(), Optional.of(log));
    }

    private void append(String... lines) throws IOException {
        Files.write(folder.resolve("gc.log"), List.of(lines), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Test
    void countsFromTheStartWhereTheFirstCollectionComesWithinTheWindow() throws Exception {
        try (TargetMonitor monitor = open(process.pid(), GcLogFormat.OPENJ9)) {
            Costs start = monitor.sample();
            assertEquals(OptionalLong.empty(), start.get(Cost.ALLOCATED));
            Costs first = monitor.sample().since(start);
            assertEquals(OptionalLong.empty(), first.get(Cost.ALLOCATED));
            assertEquals(OptionalLong.empty(), monitor.conclude(first).get(Cost.SAFEPOINT), "none ever came");
            append(
                    "<exclusive-start id=\"2\" intervalms=\"1.0\">",
                    "<cycle-start id=\"4\" type=\"scavenge\" contextid=\"0\" />",
                    "<allocation-stats totalBytes=\"5000\" >",
                    exclusiveEnd(LocalDateTime.now()));

            Costs sum = monitor.conclude(first.plus(monitor.sample().since(start)));

            assertEquals(OptionalLong.of(5_000), sum.get(Cost.ALLOCATED));
            assertEquals(OptionalLong.of(2_500_000), sum.get(Cost.SAFEPOINT));
            assertEquals(OptionalLong.of(1), sum.get(Cost.GC_CYCLES));
            assertEquals(List.of(), monitor.problems());
        }
    }

    private static String exclusiveEnd(LocalDateTime date) {
        return "<exclusive-end id=\"13\" timestamp=\""
                + DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS", Locale.ROOT)
                        .format(date)
                + "\" durationms=\"2.500\" />";
    }

    /** As of a target with a TZ of its own: its pauses would be dated hours off, and taken out of the first window. */
    @Test
    void knowsNoTimesOfPausesOfAJvmInAnotherZone() throws Exception {
        for (int hours : new int[] {-5, 5}) {
            Files.deleteIfExists(folder.resolve("gc.log"));
            try (TargetMonitor monitor = open(process.pid(), GcLogFormat.OPENJ9)) {
                append(
                        "<cycle-start id=\"4\" type=\"scavenge\" contextid=\"0\" />",
                        exclusiveEnd(LocalDateTime.now().plusHours(hours)));

                Costs sample = monitor.sample();

                assertEquals(OptionalLong.of(2_500_000), sample.get(Cost.GC_PAUSE));
                assertEquals(List.of(), monitor.takePauses());
                assertEquals(List.of(), monitor.takeSafepoints());
                assertFalse(monitor.knowsPauses());
                assertEquals(
                        List.of("GC pauses count, but when they were is not known: the dates of the GC log are of"
                                + " another time zone than Lockstep's (TZ), or the clock was set"),
                        monitor.problems());
            }
        }
    }

    @Test
    void doesNotCountTheCyclesThatZingDoesNotTell() throws Exception {
        try (TargetMonitor monitor = open(process.pid(), GcLogFormat.ZING)) {
            append("1.0: Total time for which application threads were stopped: 0.2500000 seconds");

            Costs sample = monitor.sample();

            assertEquals(OptionalLong.empty(), sample.get(Cost.GC_CYCLES));
            assertEquals(OptionalLong.of(250_000_000), sample.get(Cost.GC_PAUSE));
            assertEquals(Map.of("Zing", GcCosts.ofPauses(250_000_000)), sample.collectors());
        }
    }

    @Test
    void doesNotBelieveASilentLogOfAJvmThatCollects() throws Exception {
        System.gc();
        try (TargetMonitor monitor = open(ProcessHandle.current().pid(), GcLogFormat.UNIFIED)) {
            append("[1.0s][info][gc] Using G1");

            Costs sample = monitor.sample();

            OF_COLLECTIONS.forEach(cost -> assertEquals(OptionalLong.empty(), sample.get(cost), cost.key()));
            assertFalse(monitor.knowsPauses());
            assertEquals(1, monitor.problems().size());
            assertTrue(
                    monitor.problems().get(0).startsWith("no figures of garbage collections: the JVM collected"),
                    monitor.problems().get(0));
            Costs before =
                    Costs.builder().set(Cost.GC_CYCLES, 0).set(Cost.USER_CPU, 7).build();
            assertEquals(Costs.builder().set(Cost.USER_CPU, 7).build(), monitor.conclude(before));
        }
    }

    /** As of Shenandoah in JDK 8, whose lines are not those of the other collectors. */
    @Test
    void doesNotTakeALogOfStopsAloneForOneWithoutCollections() throws Exception {
        System.gc();
        System.gc();
        try (TargetMonitor monitor = open(ProcessHandle.current().pid(), GcLogFormat.JDK8)) {
            append(
                    "1.000: [Pause Init Mark, 0.484 ms]",
                    "1.001: Total time for which application threads were stopped: 0.0010000 seconds");

            Costs sample = monitor.sample();

            OF_COLLECTIONS.forEach(cost -> assertEquals(OptionalLong.empty(), sample.get(cost), cost.key()));
            assertEquals(1, monitor.problems().size());
        }
    }

    @Test
    void saysThatALogHasStoppedWhileTheJvmGoesOnCollecting() throws Exception {
        System.gc();
        try (TargetMonitor monitor = open(ProcessHandle.current().pid(), GcLogFormat.UNIFIED)) {
            append("[1.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.000ms");
            monitor.sample();
            monitor.sample();
            assertEquals(List.of(), monitor.problems());
            for (int i = 0; i < 3; i++) {
                System.gc();
            }
            monitor.sample();
            assertEquals(OptionalLong.of(1), monitor.sample().get(Cost.GC_CYCLES));
            assertEquals(
                    List.of("the JVM collected on while its GC log stood still, so that its figures are too low"
                            + " (a full disk?)"),
                    monitor.problems());
        }
    }

    @Test
    void saysWhatTheLogLacks() throws Exception {
        try (TargetMonitor monitor = open(process.pid(), GcLogFormat.UNIFIED)) {
            append(
                    "[1.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.000ms",
                    "[9.0s][info][gc] GC(5) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.000ms");
            monitor.sample();
            Files.writeString(folder.resolve("gc.log"), "");
            monitor.sample();

            assertEquals(
                    List.of(
                            "cycles whose numbers the GC log leaves out, so that its figures are too low: 4 (a full disk?)",
                            "places where the GC log lacks lines, so that its figures are too low: 1"
                                    + " (cut short, or rotated away before it was read)"),
                    monitor.problems());
        }
    }
}
