package dev.lockstep.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs that begin, grow, are rotated, cut and replaced while they are read. */
class GcLogRotationTest {
    @TempDir
    private Path folder;

    private long clockMs = System.currentTimeMillis() - TimeUnit.HOURS.toMillis(1);

    private static String line(int id) {
        return "[" + (1_000_000L * id) + "ns][info][gc] GC(" + id
                + ") Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 0.500ms\n";
    }

    private static GcLog open(Path file, GcLogFormat format) {
        return GcLog.open(file, format, OptionalLong.empty());
    }

    private static long cycles(GcLog log) {
        return log.totals().cycles().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Writes with a time of its own, so that the order of files does not hang on the file system's clock. */
    private void append(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        clockMs += 1000;
        Files.setLastModifiedTime(file, FileTime.fromMillis(clockMs));
    }

    @Test
    void waitsForAFileThatIsNotThereYet() throws Exception {
        Path file = folder.resolve("later/gc.log");
        try (GcLog log = open(file, GcLogFormat.UNIFIED)) {
            log.update();
            assertEquals(0, cycles(log));
            Files.createDirectory(file.getParent());
            log.update();
            append(file, line(0));
            log.update();
            assertEquals(1, cycles(log));
            assertEquals(1, log.takePauses().size());
            assertEquals(0, log.takePauses().size());
            assertTrue(log.problem().isEmpty());
        }
    }

    @Test
    void keepsATornLineForTheNextTime() throws Exception {
        Path file = folder.resolve("gc.log");
        String text = "[1000000ns][info][gc] Using G1\n" + line(0) + line(1);
        try (GcLog log = open(file, GcLogFormat.UNIFIED)) {
            for (int i = 0; i < text.length(); i++) {
                append(file, text.substring(i, i + 1));
                log.update();
            }
            assertEquals(Map.of("G1 Young", 2L), log.totals().cycles());
            assertEquals(0, log.damagedLines());
        }
    }

    @Test
    void followsUnifiedLoggingThroughItsRotation() throws Exception {
        Path file = folder.resolve("gc.log");
        append(file, line(0));
        try (GcLog log = open(file, GcLogFormat.UNIFIED)) {
            log.update();
            int next = 1;
            // Three turns of three archives, some between two updates.
            for (int turn = 0; turn < 9; turn++) {
                append(file, line(next++));
                Files.deleteIfExists(folder.resolve("gc.log." + turn % 3));
                Files.move(file, folder.resolve("gc.log." + turn % 3));
                append(file, line(next++));
                if (turn % 4 != 1) {
                    log.update();
                    assertEquals(next, cycles(log), "after turn " + turn);
                }
            }
            append(file, line(next++));
            log.update();
            assertEquals(next, cycles(log));
            assertEquals(next, log.takePauses().size());
            assertEquals(0, log.damagedLines());
            assertEquals(0, log.gaps() + log.missingCycles());
        }
    }

    @Test
    void makesItsOwnFilesPrivateAndNoOthers() throws Exception {
        Path file = folder.resolve("gc.log");
        Path archive = folder.resolve("gc.log.0");
        append(file, line(0));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        try (GcLog log = open(file, GcLogFormat.UNIFIED)) {
            log.update();
        }
        assertEquals("rw-r--r--", mode(file));

        try (GcLog log = GcLog.openOwn(file, GcLogFormat.UNIFIED, OptionalLong.empty())) {
            log.update();
            assertEquals("rw-------", mode(file));
            Files.move(file, archive);
            append(file, line(1));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
            log.update();
            assertEquals("rw-------", mode(file));
            assertEquals("rw-------", mode(archive));
            assertEquals(2, cycles(log));
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void readsWhatWasRotatedAwayBeforeTheFirstUpdate() throws Exception {
        Path file = folder.resolve("gc.log");
        append(folder.resolve("gc.log.2"), line(77));
        long startNs = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis() - (clockMs + 500));
        append(folder.resolve("gc.log.0"), line(0));
        append(folder.resolve("gc.log.1"), line(1));
        append(file, line(2));
        try (GcLog log = GcLog.open(file, GcLogFormat.UNIFIED, OptionalLong.of(startNs))) {
            log.update();
            assertEquals(3, cycles(log));
        }
        try (GcLog log = open(file, GcLogFormat.UNIFIED)) {
            log.update();
            assertEquals(1, cycles(log));
        }
    }

    @Test
    void goesOnWhereTheRotationHasOvertakenIt() throws Exception {
        Path file = folder.resolve("gc.log");
        append(file, line(0));
        try (GcLog log = open(file, GcLogFormat.UNIFIED)) {
            log.update();
            for (int i = 1; i <= 5; i++) {
                Files.deleteIfExists(folder.resolve("gc.log." + i % 2));
                Files.move(file, folder.resolve("gc.log." + i % 2));
                append(file, line(i));
            }
            assertEquals(0, log.gaps());
            log.update();
            // 0, and the two archives and the log that are left.
            assertEquals(4, cycles(log));
            assertEquals(1, log.gaps());
            assertEquals(2, log.missingCycles());
            append(file, line(6));
            log.update();
            assertEquals(5, cycles(log));
        }
    }

    @Test
    void followsJdk8ThroughItsRotation() throws Exception {
        Path base = folder.resolve("gc.log");
        String pause = ": [GC (Allocation Failure) [PSYoungGen: 6M->1M(9M)] 6M->2M(19M), 0.0100000 secs]\n";
        Path current = folder.resolve("gc.log.0.current");
        append(current, "CommandLine flags: -XX:+PrintGC\n1.000" + pause);
        try (GcLog log = open(base, GcLogFormat.JDK8)) {
            log.update();
            assertEquals(1, cycles(log));
            for (int i = 0; i < 7; i++) {
                append(current, (2 + i) + ".000" + pause);
                Path full = folder.resolve("gc.log." + i % 3);
                Files.deleteIfExists(full);
                Files.move(current, full);
                current = folder.resolve("gc.log." + (i + 1) % 3 + ".current");
                append(current, "2026-11-21 17:00:00 GC log file created gc.log\nCommandLine flags: -XX:+PrintGC\n");
                log.update();
                assertEquals(2 + i, cycles(log));
            }
            append(current, "99.000" + pause);
            log.update();
            assertEquals(9, cycles(log));
            // 6 MB at first, then 6 MB less the 2 MB that were left each time.
            assertEquals(OptionalLong.of((6 + 8 * 4) << 20), log.totals().allocatedBytes());
        }
    }

    @Test
    void followsOpenJ9ThroughItsFiles() throws Exception {
        Path base = folder.resolve("gc.log");
        String cycle =
                "<cycle-start id=\"4\" type=\"scavenge\" contextid=\"0\" timestamp=\"2026-11-21T17:00:00.000\" />\n";
        append(folder.resolve("gc.log.001"), cycle);
        try (GcLog log = open(base, GcLogFormat.OPENJ9)) {
            log.update();
            assertEquals(1, cycles(log));
            append(folder.resolve("gc.log.001"), cycle);
            append(folder.resolve("gc.log.002"), cycle + cycle);
            log.update();
            assertEquals(4, cycles(log));
            append(folder.resolve("gc.log.003"), cycle);
            log.update();
            Files.writeString(folder.resolve("gc.log.001"), "");
            append(folder.resolve("gc.log.001"), cycle + cycle + cycle);
            log.update();
            assertEquals(8, cycles(log));
        }
    }

    @Test
    void readsATruncatedFileFromItsNewBeginning() throws Exception {
        Path file = folder.resolve("gc.log");
        append(file, line(0) + line(1));
        try (GcLog log = open(file, GcLogFormat.UNIFIED)) {
            log.update();
            Files.writeString(file, line(2));
            log.update();
            assertEquals(3, cycles(log));
            // A torn line whose end was cut away, and another file under the name.
            append(file, line(3).substring(0, 20));
            log.update();
            Files.delete(file);
            append(file, line(4));
            log.update();
            assertEquals(4, cycles(log));
            assertEquals(1, log.damagedLines());
            assertEquals(2, log.gaps());
        }
    }

    @Test
    void countsTheCyclesOfTheNextJvmUnderTheSameName() throws Exception {
        Path file = folder.resolve("gc.log");
        append(file, "[1000000ns][info][gc] Using G1\n" + line(0) + line(1));
        try (GcLog log = open(file, GcLogFormat.UNIFIED)) {
            log.update();
            Files.move(file, folder.resolve("gc.log.0"));
            append(file, "[9000000ns][info][gc] Using G1\n" + line(0) + line(1));
            log.update();
            assertEquals(4, cycles(log));
            // 24 and 20 MB, twice.
            assertEquals(OptionalLong.of(88 << 20), log.totals().allocatedBytes());
        }
    }

    @Test
    void takesAFolderForNoLog() throws Exception {
        Path file = folder.resolve("gc.log");
        Files.createDirectory(file);
        try (GcLog log = open(file, GcLogFormat.UNIFIED)) {
            log.update();
            assertTrue(log.problem().isEmpty());
        }
    }

    @Test
    void staysSmallWithALogOfAnySize() throws Exception {
        Path file = folder.resolve("gc.log");
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        int id = 0;
        while (text.length() < 1_000_000) {
            text.append(line(id++));
            if (random.nextInt(100) == 0) {
                text.append("x".repeat(random.nextInt(200_000))).append('\n');
            }
        }
        append(file, text.toString());
        try (GcLog log = open(file, GcLogFormat.UNIFIED)) {
            log.update();
            assertEquals(id, cycles(log), "seed " + seed);
        }
    }
}
