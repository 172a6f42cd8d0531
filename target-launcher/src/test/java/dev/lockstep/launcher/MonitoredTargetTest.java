package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.monitor.TargetMonitor;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of a JVM's costs from outside, against what it and the kernel say themselves. */
class MonitoredTargetTest {
    private static final long TICK_NS = Duration.ofMillis(10).toNanos();
    private static final Pattern GC_ID = Pattern.compile("GC\\([0-9]+\\)");

    @TempDir
    Path logs;

    private TargetLauncher launcher;

    @BeforeEach
    void open() {
        launcher = TargetLauncher.open(TestingTargets.inventory());
    }

    @AfterEach
    void close() {
        launcher.close();
    }

    @Test
    void measuresSerialGcOnJdk17() throws Exception {
        measures("c2", "-XX:+UseSerialGC");
    }

    @Test
    void measuresG1OnJdk25() throws Exception {
        TestingTargets.assumeServes("c2@25");
        measures("c2@25", "-XX:+UseG1GC");
    }

    /** From this version on the JVM publishes what is used with each collection only. */
    @Test
    void takesNoStandstillBetweenCollectionsForAMeasured0OnJdk25() throws Exception {
        TestingTargets.assumeServes("c2@25");
        LaunchSettings settings = TestingTargets.settings("serve", logs)
                .jvmOptions(List.of("-XX:+UseSerialGC", "-Xmx600m", "-Xmn500m"))
                .build();
        try (TargetProcess process = launcher.launch(TestingTargets.spec("c2@25"), settings);
                TargetMonitor monitor =
                        TargetMonitor.open(process.pid().getAsLong(), process.controlGroups(), process.openGcLog())) {
            Costs first = monitor.sample();
            assertTrue(allocated(process) > 0);

            Costs window = monitor.conclude(monitor.sample().since(first));

            assertEquals(OptionalLong.of(0), window.get(Cost.GC_CYCLES));
            assertEquals(OptionalLong.empty(), window.get(Cost.ALLOCATED));
            assertEquals(OptionalLong.empty(), window.get(Cost.HEAP_USED));
            assertEquals(OptionalLong.empty(), window.get(Cost.OLD_GEN_USED));
        }
    }

    private void measures(String target, String collector) throws Exception {
        LaunchSettings settings = TestingTargets.settings("serve", logs)
                .jvmOptions(List.of(collector, "-Xmx96m", "-Xmn16m"))
                .build();
        try (TargetProcess process = launcher.launch(TestingTargets.spec(target), settings);
                TargetMonitor monitor =
                        TargetMonitor.open(process.pid().getAsLong(), process.controlGroups(), process.openGcLog())) {
            long allocatedBefore = allocated(process);
            long ticksBeforeFirst = ticksNs(process);
            Costs first = monitor.sample();
            long ticksAfterFirst = ticksNs(process);
            assertEquals("done", TestingTargets.get(process.address(), "/allocate"));
            double exact = allocated(process) - allocatedBefore;
            TestingTargets.await(
                    "allocation within 3 % of the JVM's own counter",
                    () -> {
                        long ours = monitor.sample()
                                .since(first)
                                .get(Cost.ALLOCATED)
                                .orElse(0);
                        return Math.abs(ours / exact - 1) <= 0.03;
                    });
            TestingTargets.await(
                    "as many cycles as the log has",
                    () -> monitor.sample().get(Cost.GC_CYCLES).orElseThrow() == cyclesInLog());

            long ticksBeforeLast = ticksNs(process);
            Costs last = monitor.sample();
            long ticksAfterLast = ticksNs(process);
            long cpuNs = last.since(first).get(Cost.USER_CPU).orElseThrow()
                    + last.since(first).get(Cost.SYSTEM_CPU).orElseThrow();
            // The kernel cuts user and system time to a tick each.
            assertTrue(
                    cpuNs > ticksBeforeLast - ticksAfterFirst - 2 * TICK_NS
                            && cpuNs < ticksAfterLast - ticksBeforeFirst + 2 * TICK_NS,
                    ticksBeforeFirst + " " + ticksAfterFirst + ", " + cpuNs + ", " + ticksBeforeLast + " "
                            + ticksAfterLast);
            assertTrue(
                    last.get(Cost.GC_CYCLES).orElseThrow() > 10,
                    last.collectors().toString());
            assertTrue(last.get(Cost.GC_PAUSE).orElseThrow() > 0);
            assertTrue(last.get(Cost.SAFEPOINT).orElseThrow()
                    >= last.get(Cost.GC_PAUSE).orElseThrow() / 2);
            assertTrue(last.get(Cost.HEAP_USED).orElseThrow() > 0);
            assertTrue(last.get(Cost.OLD_GEN_USED).isPresent());
            assertEquals(
                    last.get(Cost.GC_CYCLES).orElseThrow(),
                    last.collectors().values().stream()
                            .mapToLong(costs -> costs.cycles().orElseThrow())
                            .sum());
            assertTrue(monitor.knowsPauses());
            assertTrue(monitor.takePauses().size() > 10);
            assertEquals(List.of(), monitor.problems());

            process.freeze();
            assertEquals(last.get(Cost.GC_CYCLES), monitor.sample().get(Cost.GC_CYCLES));
            process.thaw();
            TestingTargets.stop(process);
            Costs dead = monitor.sample();
            assertTrue(dead.get(Cost.GC_CYCLES).orElseThrow()
                    >= last.get(Cost.GC_CYCLES).orElseThrow());
            assertEquals(OptionalLong.empty(), dead.get(Cost.HEAP_USED));
        }
    }

    private static long allocated(TargetProcess process) throws IOException {
        return Long.parseLong(TestingTargets.get(process.address(), "/allocated"));
    }

    private static long ticksNs(TargetProcess process) throws IOException {
        String stat = KernelFile.read(Path.of("/proc/" + process.pid().getAsLong() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[14 - 3]) + Long.parseLong(fields[15 - 3])) * TICK_NS;
    }

    /** Returns how many different cycles the log names. */
    private long cyclesInLog() {
        Set<String> ids = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(logs, "*.gc.log*")) {
            for (Path file : files) {
                Matcher matcher = GC_ID.matcher(Files.readString(file));
                while (matcher.find()) {
                    ids.add(matcher.group());
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return ids.size();
    }
}
