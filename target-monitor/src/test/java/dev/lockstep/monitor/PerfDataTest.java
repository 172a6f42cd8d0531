package dev.lockstep.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PerfDataTest {
    @Test
    void readsTheCountersOfThisJvm() {
        PerfData data = PerfData.of(ProcessHandle.current().pid()).orElseThrow();
        assertEquals(
                System.getProperty("java.vm.name"),
                data.text("java.property.java.vm.name").orElseThrow());
        long ready = data.number("sun.rt.createVmEndTime").orElseThrow();
        assertTrue(ready > 0 && ready <= System.currentTimeMillis(), "ready at " + ready);
        assertEquals(Optional.empty(), data.text("no.such.counter"));
        assertEquals(OptionalLong.empty(), data.number("no.such.counter"));
        assertFalse(data.update(), "it was read once");
    }

    @Test
    void readsThemAgainAndAgain() {
        try (PerfData data = PerfData.open(ProcessHandle.current().pid()).orElseThrow()) {
            long collections = fullCollections(data);
            System.gc();
            assertEquals(collections, fullCollections(data), "not read again yet");
            assertTrue(data.update());
            assertTrue(fullCollections(data) > collections);
            assertTrue(data.heapUsedBytes().orElseThrow() > 0);
            assertTrue(data.heapUsedBytes().orElseThrow()
                    <= ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getMax());
            assertTrue(data.oldUsedBytes().orElseThrow() <= data.heapUsedBytes().orElseThrow());
        }
    }

    /** Returns what System.gc() adds to, with Serial, Parallel and G1. */
    private static long fullCollections(PerfData data) {
        return data.number("sun.gc.collector.1.invocations").orElseThrow();
    }

    @Test
    @Timeout(60)
    void waitsForNoPipeThatSomebodyPutThere() throws Exception {
        long process = ProcessHandle.current().pid();
        Path folder = Files.createTempDirectory(Path.of("/tmp"), "hsperfdata_");
        Path pipe = folder.resolve(Long.toString(process));
        try {
            assertEquals(
                    0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());

            try (PerfData own = PerfData.open(process).orElseThrow()) {
                assertTrue(own.heapUsedBytes().isPresent());
            }
        } finally {
            Files.deleteIfExists(pipe);
            Files.delete(folder);
        }
    }

    @Test
    void passesOverTheFileOfAnotherUserOrOfAnEarlierProcess() throws Exception {
        Path folder = Files.createTempDirectory(Path.of("/tmp"), "hsperfdata_");
        Process process = new ProcessBuilder("sleep", "600").start();
        Path planted = folder.resolve(Long.toString(process.pid()));
        try {
            ByteBuffer counters = file(Map.of("java.ci.totalTime", 5L));
            Files.write(planted, counters.array());
            try (PerfData own = PerfData.open(process.pid()).orElseThrow()) {
                assertEquals(OptionalLong.of(5), own.number("java.ci.totalTime"));
            }
            Files.setLastModifiedTime(planted, FileTime.from(Instant.now().minusSeconds(60)));
            assertEquals(Optional.empty(), PerfData.open(process.pid()));
            Files.setLastModifiedTime(planted, FileTime.from(Instant.now()));
            if ((Integer) Files.getAttribute(planted, "unix:uid") == 0) {
                Files.setAttribute(planted, "unix:uid", 1);
                assertEquals(Optional.empty(), PerfData.open(process.pid()));
            }
        } finally {
            process.destroyForcibly().waitFor();
            Files.deleteIfExists(planted);
            Files.delete(folder);
        }
    }

    @Test
    void refusesCountersThatAreBroken() {
        assertEquals(Optional.empty(), PerfData.parse(ByteBuffer.allocate(0)));
        assertEquals(Optional.empty(), PerfData.parse(ByteBuffer.allocate(100)));
        ByteBuffer cut = ByteBuffer.allocate(40)
                .putInt(0, 0xcafec0c0)
                .put(4, (byte) 1)
                .put(5, (byte) 2)
                .put(24, (byte) 38)
                .put(28, (byte) 9);
        assertEquals(Optional.empty(), PerfData.parse(cut));
    }

    @Test
    void turnsTicksIntoNanosecondsAndLeavesOutWhatIsNotThere() {
        PerfData data = PerfData.parse(file(Map.of(
                        "java.property.java.vm.specification.version", "17",
                        "sun.os.hrt.frequency", 1_000L,
                        "sun.rt.safepointTime", 1_500L,
                        "sun.rt.safepointSyncTime", 500L)))
                .orElseThrow();
        assertEquals(OptionalLong.of(2_000_000_000L), data.safepointNs());
        assertEquals(OptionalLong.empty(), data.heapUsedBytes());
        PerfData old = PerfData.parse(file(Map.of(
                        "java.property.java.vm.specification.version", "1.8",
                        "sun.os.hrt.frequency", 1_000L,
                        "sun.rt.safepointTime", 1_500L,
                        "sun.rt.safepointSyncTime", 500L)))
                .orElseThrow();
        assertEquals(OptionalLong.of(1_500_000_000L), old.safepointNs(), "one contains the other");
        PerfData nothing =
                PerfData.parse(file(Map.of("sun.rt.safepointTime", 1_500L))).orElseThrow();
        assertEquals(OptionalLong.empty(), nothing.safepointNs(), "without a frequency");
    }

    @Test
    void tellsGenerationsFromAHeapOfOnePiece() {
        PerfData generations = PerfData.parse(file(Map.of(
                        "sun.gc.generation.0.name",
                        "new",
                        "sun.gc.generation.1.name",
                        "old",
                        "sun.gc.generation.0.space.0.name",
                        "eden",
                        "sun.gc.generation.0.space.0.used",
                        70L,
                        "sun.gc.generation.0.space.1.used",
                        7L,
                        "sun.gc.generation.1.space.0.used",
                        700L)))
                .orElseThrow();
        assertEquals(OptionalLong.of(70), generations.edenUsedBytes());
        assertEquals(OptionalLong.of(700), generations.oldUsedBytes());
        assertEquals(OptionalLong.of(777), generations.heapUsedBytes());
        // As Shenandoah has it.
        PerfData heap = PerfData.parse(file(Map.of(
                        "sun.gc.generation.0.name", "Young",
                        "sun.gc.generation.1.name", "Heap",
                        "sun.gc.generation.1.space.0.used", 700L)))
                .orElseThrow();
        assertEquals(OptionalLong.empty(), heap.edenUsedBytes());
        assertEquals(OptionalLong.empty(), heap.oldUsedBytes());
        assertEquals(OptionalLong.of(700), heap.heapUsedBytes());
    }

    /** Lays numbers and texts out as perfMemory.hpp has it, big-endian. */
    private static ByteBuffer file(Map<String, Object> counters) {
        ByteBuffer file = ByteBuffer.allocate(4096);
        file.putInt(0xcafec0c0).put((byte) 0).put((byte) 2).put((byte) 0).put((byte) 1);
        file.putInt(24, 32).putInt(28, counters.size());
        int entry = 32;
        for (Map.Entry<String, Object> counter : counters.entrySet()) {
            byte[] name = counter.getKey().getBytes(StandardCharsets.UTF_8);
            int value = 20 + (name.length + 8) / 8 * 8;
            int length = 8;
            file.putInt(entry + 4, 20).putInt(entry + 16, value);
            if (counter.getValue() instanceof Long) {
                file.put(entry + 12, (byte) 'J').putLong(entry + value, (Long) counter.getValue());
            } else {
                byte[] text = ((String) counter.getValue()).getBytes(StandardCharsets.UTF_8);
                length = (text.length + 8) / 8 * 8;
                file.put(entry + 12, (byte) 'B').putInt(entry + 8, text.length);
                file.position(entry + value);
                file.put(text);
            }
            file.position(entry + 20);
            file.put(name);
            file.putInt(entry, value + length);
            entry += value + length;
        }
        return file;
    }
}
