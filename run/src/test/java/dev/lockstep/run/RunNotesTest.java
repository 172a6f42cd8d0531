package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Pace;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.TargetSchedule;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunNotesTest {
    @TempDir
    private Path folder;

    /** Whose recorder did finish it. */
    @Test
    void saysThatTheNextSegmentOfTheCaptureIsMissing() throws IOException {
        Path file = folder.resolve("rotated.bin");
        CaptureOptions options = CaptureOptions.builder()
                .waitForDisk(true)
                .blockBytes(4096)
                .memoryBytes(1 << 16)
                .rotateBytes(16_384)
                .build();
        try (CaptureWriter writer = CaptureWriter.create(file, options)) {
            write(writer, 1000);
        }
        Files.delete(folder.resolve("rotated.1.bin"));

        try (Capture capture = Capture.open(file, OpenOptions.defaults().allowTruncated(true))) {
            assertEquals(
                    List.of("the capture is incomplete: the recording goes on in its next segment: expected the file"
                            + " rotated.1.bin beside it, found none"),
                    notes(capture).ofCapture().stream()
                            .filter(note -> note.startsWith("the capture"))
                            .collect(Collectors.toList()));
        }
    }

    private static void write(CaptureWriter writer, int requests) {
        byte[] request = "GET / HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        long nowNs = System.nanoTime();
        writer.openConnection(nowNs, null, null);
        writer.protocol(0, nowNs, Protocol.HTTP1);
        for (int i = 0; i < requests; i++) {
            writer.data(0, nowNs, RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END, ByteBuffer.wrap(request));
        }
    }

    /** It may have been made by an import, at which there was no recorder. */
    @Test
    void saysWhatACaptureLacksWithoutBlamingARecorder() {
        Path file = folder.resolve("imported.bin");
        CaptureWriter writer = CaptureWriter.create(file, CaptureOptions.defaults());
        write(writer, 1);
        writer.lost(1, 2, 3);
        writer.closeEarly("the import was ended by a signal");

        try (Capture capture = Capture.open(file)) {
            assertEquals(
                    List.of(
                            "the capture ends early: the import was ended by a signal; what was written before is"
                                    + " readable",
                            "the capture lacks 2 requests (3 bytes) of 1 connection: the disk could not follow, or"
                                    + " failed"),
                    notes(capture).ofCapture());
        }
    }

    /** The JVM's library, for example, is in memory already, and counts for no target. */
    @Test
    void saysWhyResidentMemoryIsMoreThanTheLimit() {
        assertEquals(
                Optional.of("a: resident memory of 60 MiB is more than the limit of 48 MiB, since pages of files, such"
                        + " as the JVM's own, count for whoever read them first; what the limit counts was 40 MiB at"
                        + " most"),
                RunNotes.ofMemory(target(60)));
        assertEquals(Optional.empty(), RunNotes.ofMemory(target(48)));
    }

    private static TargetResult target(long rssMebibytes) {
        return TargetResult.builder("a")
                .memoryLimitBytes(48 << 20)
                .cost(Cost.RSS, rssMebibytes << 20)
                .memoryPeakBytes(40 << 20)
                .build();
    }

    private RunNotes notes(Capture capture) {
        List<TargetSpec> specs = List.of(TestingTurns.server("a", TestingLaunchedServer.class, "{port}"));
        Cores cores = Cores.plan(null, List.of("a"));
        RunPlan plan = new RunPlanner(capture, specs, cores)
                .schedule(TargetSchedule.TOGETHER)
                .plan(RunPlan.builder()
                        .pace(Pace.MAX)
                        .connections(1)
                        .warmup(Duration.ZERO)
                        .launches(1));
        return new RunNotes(RunConfig.builder(plan, capture, specs, cores, JvmInventory.discover(folder))
                .build());
    }
}
