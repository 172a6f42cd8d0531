package dev.lockstep.fuzzing;

import dev.lockstep.monitor.GcLog;
import dev.lockstep.monitor.GcLogFormat;
import dev.lockstep.monitor.GcPause;
import dev.lockstep.monitor.GcTotals;
import dev.lockstep.monitor.PerfData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;

/** What targets write about themselves: whatever it is, the reader goes on and no sum turns negative. */
final class MonitorTargets {
    private MonitorTargets() {}

    /** A log of collections; the first byte of the input chooses the format. */
    static void gcLog(byte[] input) throws IOException {
        if (input.length == 0) {
            return;
        }
        GcLogFormat[] formats = GcLogFormat.values();
        Path file = Files.createTempFile("gc", ".log");
        try (GcLog log = GcLog.open(file, formats[(input[0] & 0xff) % formats.length], OptionalLong.empty())) {
            log.update();
            // In two parts, so that a line is torn.
            int half = 1 + (input.length - 1) / 2;
            Files.write(
                    file, ByteBuffer.allocate(half - 1).put(input, 1, half - 1).array());
            log.update();
            Files.write(
                    file,
                    ByteBuffer.allocate(input.length - 1)
                            .put(input, 1, input.length - 1)
                            .array());
            log.update();
            check(log);
        } finally {
            Files.delete(file);
        }
    }

    private static void check(GcLog log) {
        if (log.problem().isPresent()) {
            throw new AssertionError(log.problem().get());
        }
        GcTotals totals = log.totals();
        for (Map<String, Long> values : java.util.List.of(totals.cycles(), totals.pauseNs())) {
            if (values.size() > 20) {
                throw new AssertionError("more collectors than there are: " + values);
            }
            values.forEach((name, value) -> {
                if (value < 0) {
                    throw new AssertionError(name + ": " + value);
                }
            });
        }
        for (GcPause pause : log.takePauses()) {
            if (pause.startNs() > pause.endNs()) {
                throw new AssertionError(pause.toString());
            }
        }
    }

    /** HotSpot's file of counters. */
    static void perfData(byte[] input) {
        PerfData.parse(ByteBuffer.wrap(input)).ifPresent(data -> {
            data.heapUsedBytes();
            data.edenUsedBytes();
            data.oldUsedBytes();
            data.safepointNs();
        });
    }
}
