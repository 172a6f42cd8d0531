package dev.lockstep.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GcLoggingTest {
    @Test
    void givesEachJvmItsOptions() {
        Path file = Path.of("run/c2-gc.log");
        assertEquals(
                List.of(
                        "-Xlog:gc,gc+start,gc+heap,gc+phases,gc+ergo,safepoint,gc+init:file=run/c2-gc.log:timenanos,level,tags"
                                + ":filecount=3,filesize=1M"),
                GcLogging.jvmOptions(GcLogFormat.ofHotSpot(25), 25, file));
        assertEquals(
                List.of("-Xlog:gc,gc+start,gc+heap,gc+phases,gc+ergo,safepoint:file=run/c2-gc.log:timenanos,level,tags"
                        + ":filecount=3,filesize=1M"),
                GcLogging.jvmOptions(GcLogFormat.ofHotSpot(11), 11, file));
        List<String> jdk8 = GcLogging.jvmOptions(GcLogFormat.ofHotSpot(8), 8, file);
        assertTrue(jdk8.contains("-Xloggc:run/c2-gc.log") && jdk8.contains("-XX:+PrintGCDetails"), jdk8.toString());
        assertEquals(List.of("-Xverbosegclog:run/c2-gc.log,3,400"), GcLogging.jvmOptions(GcLogFormat.OPENJ9, 17, file));
        assertEquals(
                List.of("-Xlog:gc,safepoint:file=run/c2-gc.log:timenanos,level,tags:filecount=3,filesize=1M"),
                GcLogging.jvmOptions(GcLogFormat.ZING, 17, file));
        assertFalse(GcLogging.jvmOptions(GcLogFormat.ZING, 8, file).contains("-XX:+PrintGCDetails"));
    }

    @Test
    void refusesNamesThatTheOptionsWouldReadOtherwise() {
        for (String name : List.of("a:b.log", "a b.log", "a%p.log", "x:y/gc.log", "x,y/gc.log")) {
            IllegalArgumentException refused = assertThrows(
                    IllegalArgumentException.class, () -> GcLogging.jvmOptions(GcLogFormat.UNIFIED, 17, Path.of(name)));
            assertTrue(refused.getMessage().contains(name), refused.getMessage());
        }
    }

    @Test
    void seesThatAUserLogsAlready() {
        for (String option : List.of(
                "-Xlog:gc",
                "-Xlog:gc*:file=x",
                "-Xlog:safepoint,gc*=debug:stderr",
                "-Xlog:all=info",
                "-Xlog",
                "-Xloggc:x",
                "-verbose:gc",
                "-Xverbosegclog:x",
                "-XX:+PrintGCDetails")) {
            assertTrue(GcLogging.isIn(List.of("-Xmx1g", option)), option);
        }
        assertFalse(GcLogging.isIn(List.of("-Xlog:class+load", "-Xlog:disable", "-XX:-PrintGC", "-XX:+UseG1GC")));
    }

    @Test
    void makesThisJvmWriteWhatGcLogReads(@TempDir Path folder) throws Exception {
        Path source =
                Path.of(GcLoggingTest.class.getResource("/gclogs/Churn.java").toURI());
        Path file = folder.resolve("gc.log");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        int feature = Runtime.version().feature();
        command.addAll(GcLogging.jvmOptions(GcLogFormat.UNIFIED, feature, file));
        command.addAll(
                List.of("-XX:+UseSerialGC", "-Xmx64m", "-XX:TieredStopAtLevel=1", source.toString(), "300", "2000"));
        File output = folder.resolve("output").toFile();
        long startNs = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(output))
                .start();
        try (GcLog log = GcLog.open(file, GcLogFormat.UNIFIED, OptionalLong.of(startNs))) {
            while (process.isAlive()) {
                log.update();
                Thread.sleep(5);
            }
            log.update();
            long endNs = System.nanoTime();
            assertEquals(0, process.exitValue(), Files.readString(output.toPath()));
            List<GcPause> pauses = log.takePauses();
            assertTrue(pauses.size() >= 5, () -> log.totals().toString());
            for (GcPause pause : pauses) {
                assertTrue(
                        startNs < pause.startNs() && pause.startNs() <= pause.endNs() && pause.endNs() < endNs,
                        () -> pause + " is not within " + startNs + " and " + endNs);
            }
            GcPause last = pauses.get(pauses.size() - 1);
            assertEquals("Serial Old", last.collector());
            long exact = Files.readAllLines(output.toPath()).stream()
                    .filter(line -> line.startsWith("allocated "))
                    .mapToLong(line -> Long.parseLong(line.substring(10)))
                    .findFirst()
                    .orElseThrow();
            long logged = log.totals().allocatedBytes().orElseThrow();
            // The log's includes what other threads allocated, and ends of buffers that were left empty.
            assertTrue(logged > 0.99 * exact && logged < 1.05 * exact, logged + " for " + exact);
            assertEquals(0, log.damagedLines());
            // This JVM sees what that one does. Before JDK 15 the log does not tell.
            assertEquals(
                    feature < 15
                            ? OptionalInt.empty()
                            : OptionalInt.of(Runtime.getRuntime().availableProcessors()),
                    log.processors());
            assertEquals(0, log.lostPauses());
        } finally {
            process.destroyForcibly();
        }
    }
}
