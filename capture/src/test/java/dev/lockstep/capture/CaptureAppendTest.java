package dev.lockstep.capture;

import static dev.lockstep.capture.TestingCaptures.WHOLE;
import static dev.lockstep.capture.TestingCaptures.await;
import static dev.lockstep.capture.TestingCaptures.bytes;
import static dev.lockstep.capture.TestingCaptures.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.segments.AppendPoint;
import dev.lockstep.capture.segments.SegmentFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Going on with a capture, and reading one while it is recorded. */
final class CaptureAppendTest {
    @TempDir
    Path folder;

    private Path write(String name, byte[] contents) throws Exception {
        return Files.write(folder.resolve(name), contents);
    }

    private static void appendOne(Path path, CaptureOptions options, String request) {
        try (CaptureWriter writer = CaptureWriter.append(path, options)) {
            int connection = writer.openConnection(System.nanoTime(), null, null);
            writer.data(connection, System.nanoTime(), WHOLE, bytes(request));
            writer.closeConnection(connection, System.nanoTime(), CloseReason.CLIENT_FIN);
        }
    }

    @Test
    void repairsATornEndAndGoesOn() throws Exception {
        Path path = write("torn.bin", GoldenCaptures.torn());
        try (CaptureWriter writer = CaptureWriter.append(path, CaptureOptions.defaults())) {
            assertEquals(2, writer.openConnection(System.nanoTime(), null, null));
            writer.data(2, System.nanoTime(), WHOLE, bytes("after the crash"));
        }

        Capture capture = Capture.open(path);
        assertEquals(4, capture.requestCount());
        assertEquals("after the crash", text(capture, 3));
        assertEquals(3, capture.connectionCount());
        assertEquals(CloseReason.CLIENT_FIN, capture.closeReason(0));
        assertEquals(CloseReason.RECORDING_ENDED, capture.closeReason(1));
        CaptureInfo info = capture.info();
        assertTrue(info.closedProperly());
        assertEquals(0, info.cutBytes());
        assertEquals(92, info.repairedBytes());
        assertEquals(1, info.appends());
        assertEquals("golden", info.host());
        // The golden start is in 2023: the time of what is appended is that of the wall clock.
        long years = capture.timeNs(3) / TimeUnit.DAYS.toNanos(365);
        assertTrue(years >= 2, "years " + years);
    }

    @Test
    void goesOnWithEveryKindOfFileAgainAndAgain() throws Exception {
        OpenOptions open = OpenOptions.defaults().encryption(GoldenCaptures.KEY);
        CaptureOptions plain = CaptureOptions.defaults();
        CaptureOptions redacted =
                CaptureOptions.builder().redaction("default; key 02").build();
        CaptureOptions key =
                CaptureOptions.builder().encryption(GoldenCaptures.KEY).build();
        assertAppends(write("closed.bin", GoldenCaptures.closed()), plain, open);
        assertAppends(write("unclosed.bin", GoldenCaptures.unclosed()), plain, open);
        assertAppends(write("full.bin", GoldenCaptures.diskFull()), plain, open);
        assertAppends(write("lossy.bin", GoldenCaptures.lossy()), plain, open);
        assertAppends(write("compressed.bin", GoldenCaptures.compressed()), redacted, open);
        assertAppends(write("encrypted.bin", GoldenCaptures.encrypted()), key, open);
        CaptureOptions same = CaptureOptions.builder()
                .redaction("default; key 02")
                .compression(Compression.ZSTD)
                .comment("golden")
                .build();
        assertAppends(write("same.bin", GoldenCaptures.compressed()), same, open);
    }

    private static void assertAppends(Path path, CaptureOptions options, OpenOptions open) {
        Capture before = Capture.open(path, open);
        for (int i = 0; i < 3; i++) {
            appendOne(path, options, "appended " + i);
        }
        Capture after = Capture.open(path, open);
        assertEquals(before.requestCount() + 3, after.requestCount());
        assertEquals("appended 2", text(after, after.requestCount() - 1));
        assertEquals(3, after.info().appends());
        assertEquals(before.info().lostBytes(), after.info().lostBytes());
        assertEquals(before.info().lostConnections(), after.info().lostConnections());
        assertEquals(before.info().redactedValues(), after.info().redactedValues());
        assertNull(after.info().endedEarly());
        assertTrue(after.info().closedProperly());
    }

    /** What a recorder had not written yet when it was killed is counted nowhere, whatever another one adds. */
    @Test
    void doesNotKnowLossesBehindARecorderThatWasKilled() throws Exception {
        byte[] torn = GoldenCaptures.torn();
        Path killed = write("killed.bin", Arrays.copyOf(torn, torn.length - 92));
        appendOne(killed, CaptureOptions.defaults(), "after the crash");
        Path closed = folder.resolve("closed.bin");
        CaptureWriter.create(closed, CaptureOptions.defaults()).close();
        appendOne(closed, CaptureOptions.defaults(), "the next day");

        CaptureInfo info = Capture.open(killed).info();
        assertTrue(info.closedProperly());
        assertEquals(0, info.repairedBytes());
        assertFalse(info.lossesKnown());
        assertTrue(Capture.open(closed).info().lossesKnown());
    }

    @Test
    void goesOnWithTheLastSegment() throws Exception {
        Path path = folder.resolve("capture.bin");
        CaptureOptions options = CaptureOptions.builder()
                .blockBytes(4096)
                .memoryBytes(1 << 20)
                .rotateBytes(16_384)
                .build();
        for (int run = 0; run < 4; run++) {
            try (CaptureWriter writer =
                    run == 0 ? CaptureWriter.create(path, options) : CaptureWriter.append(path, options)) {
                int connection = writer.openConnection(System.nanoTime(), null, null);
                for (int i = 0; i < 1_000; i++) {
                    writer.data(connection, System.nanoTime(), WHOLE, bytes("run " + run + " request " + i));
                }
                assertFalse(writer.totals().lossy());
            }
        }
        Capture capture = Capture.open(path);
        assertEquals(4_000, capture.requestCount());
        assertEquals(4, capture.connectionCount());
        assertTrue(capture.info().segments() > 8, "segments " + capture.info().segments());
        for (int i = 0; i < 4_000; i++) {
            assertEquals("run " + i / 1_000 + " request " + i % 1_000, text(capture, i));
            assertEquals(i / 1_000, capture.connection(i));
        }
    }

    @Test
    void replacesTheEmptySegmentOfARecorderThatWasKilledInItsBeginning() throws Exception {
        Path path = folder.resolve("rotated.bin");
        CaptureOptions options =
                CaptureOptions.builder().blockBytes(4096).rotateBytes(16_384).build();
        CaptureWriter.create(path, options).close();
        write("rotated.1.bin", new byte[0]);

        CaptureWriter writer = CaptureWriter.append(path, options);
        int connection = writer.openConnection(System.nanoTime(), null, null);
        for (int i = 0; i < 30; i++) {
            writer.data(connection, System.nanoTime(), WHOLE, bytes("x".repeat(1000)));
        }
        writer.close();

        assertNull(writer.totals().failure());
        assertEquals(30, Capture.open(path).requestCount());
        assertTrue(Files.size(folder.resolve("rotated.1.bin")) > 0);
    }

    @Test
    void refusesAFileWhereItsNextSegmentWillCome() throws Exception {
        Path path = folder.resolve("rotated.bin");
        CaptureOptions options = CaptureOptions.builder().rotateBytes(1 << 20).build();
        CaptureWriter.create(path, options).close();
        Path foreign = write("rotated.1.bin", new byte[] {'n', 'o', 't', 'e', 's'});

        assertRefused(path, options, "stands where a segment of " + path + " may come");
        assertEquals(5, Files.size(foreign));
        // What was refused holds no lock.
        Files.move(foreign, folder.resolve("rotated.7.bin"));
        assertRefused(path, options, "stands where a segment of " + path + " may come");
        Files.delete(folder.resolve("rotated.7.bin"));
        appendOne(path, options, "appended");
    }

    @Test
    void refusesAFileThatAnotherHasChangedSinceItWasRead() {
        Path path = folder.resolve("capture.bin");
        CaptureOptions options = CaptureOptions.defaults();
        CaptureWriter.create(path, options).close();
        AppendPoint read = AppendPoint.find(path, options);
        appendOne(path, options, "of another recorder");

        CaptureException refused = assertThrows(CaptureException.class, () -> SegmentFiles.append(read, options));
        assertTrue(refused.getMessage().contains("was changed while it was read"), refused.getMessage());
        appendOne(path, options, "what was refused holds no lock");
        assertEquals(2, Capture.open(path).requestCount());
    }

    @Test
    void refusesWhatDoesNotFit() throws Exception {
        assertRefused(
                write("encrypted.bin", GoldenCaptures.encrypted()),
                CaptureOptions.defaults(),
                "is encrypted under key " + GoldenCaptures.KEY.id() + ": expected this key, found none");
        assertRefused(
                write("closed.bin", GoldenCaptures.closed()),
                CaptureOptions.builder().encryption(GoldenCaptures.KEY).build(),
                "cannot be appended to with a key");
        assertRefused(
                write("closed.bin", GoldenCaptures.closed()),
                CaptureOptions.builder().redaction("default").build(),
                "expected the redaction that it was begun with (none), found default");
        assertRefused(
                write("closed.bin", GoldenCaptures.closed()),
                CaptureOptions.builder().compression(Compression.ZSTD).build(),
                "expected the compression that it was begun with (none), found zstd; record with that, or to another file");
        assertRefused(
                write("compressed.bin", GoldenCaptures.compressed()),
                CaptureOptions.builder()
                        .redaction("default; key 02")
                        .compression(Compression.NONE)
                        .build(),
                "expected the compression that it was begun with (zstd), found none; record with that, or to another file");
        assertRefused(
                write("closed.bin", GoldenCaptures.closed()),
                CaptureOptions.builder().comment("of tuesday").build(),
                "expected the comment that it was begun with (none), found of tuesday; record with that, or to another file");
        byte[] damaged = GoldenCaptures.closed();
        damaged[4200] ^= 1;
        assertRefused(write("damaged.bin", damaged), CaptureOptions.defaults(), "the file is damaged");
        assertRefused(folder.resolve("missing.bin"), CaptureOptions.defaults(), "no such file");
        Path live = folder.resolve("live.bin");
        try (CaptureWriter writer = CaptureWriter.create(live, CaptureOptions.defaults())) {
            assertRefused(live, CaptureOptions.defaults(), "is being recorded; stop that recorder");
            assertNull(writer.totals().failure());
        }
    }

    @Test
    void refusesALaterSegmentWhoseSuccessorsWouldGetOtherNames() {
        Path path = folder.resolve("capture.bin");
        CaptureOptions options = CaptureOptions.builder()
                .blockBytes(4096)
                .memoryBytes(1 << 20)
                .waitForDisk(true)
                .rotateBytes(16_384)
                .build();
        try (CaptureWriter writer = CaptureWriter.create(path, options)) {
            int connection = writer.openConnection(System.nanoTime(), null, null);
            for (int i = 0; i < 1_000; i++) {
                writer.data(connection, System.nanoTime(), WHOLE, bytes("request " + i));
            }
        }

        assertRefused(
                folder.resolve("capture.1.bin"),
                options,
                "cannot be appended to: expected the first file of its capture, found the one with number 1");
    }

    private static void assertRefused(Path path, CaptureOptions options, String words) {
        CaptureException refused = assertThrows(CaptureException.class, () -> CaptureWriter.append(path, options));
        assertTrue(refused.getMessage().contains(words), refused.getMessage());
    }

    @Test
    void opensWhatIsBeingRecorded() throws Exception {
        Path path = folder.resolve("live.bin");
        CaptureWriter writer = CaptureWriter.create(
                path,
                CaptureOptions.builder()
                        .flushInterval(java.time.Duration.ofMillis(1))
                        .build());
        int connection = writer.openConnection(System.nanoTime(), null, null);
        writer.data(connection, System.nanoTime(), WHOLE, bytes("flushed"));
        await(() -> Capture.open(path).requestCount() == 1);
        Capture capture = Capture.open(path);
        assertFalse(capture.info().closedProperly());
        writer.data(connection, System.nanoTime(), WHOLE, bytes("more"));
        writer.close();
        assertEquals(1, capture.requestCount());
        assertEquals(2, Capture.open(path).requestCount());
    }
}
