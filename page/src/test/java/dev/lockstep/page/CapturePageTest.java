package dev.lockstep.page;

import static dev.lockstep.page.ReportPageTest.data;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.CloseReason;
import dev.lockstep.capture.Protocol;
import dev.lockstep.capture.RecordFlags;
import dev.lockstep.inspection.Inspection;
import dev.lockstep.inspection.InspectionOptions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CapturePageTest {
    private static final long START_NS = 1_700_000_000_000_000_000L;
    private static final String HOSTILE = "/</script><script>alert(1)</script><!--{{data}}";

    @TempDir
    private Path folder;

    static String page(Path capture) {
        return CapturePage.of(Inspection.run(capture, InspectionOptions.defaults()));
    }

    private static CaptureWriter writer(Path path) {
        return CaptureWriter.create(
                path,
                CaptureOptions.builder()
                        .waitForDisk(true)
                        .startedAt(START_NS, START_NS)
                        .build());
    }

    /** Returns a capture whose client wrote paths to do harm, with losses. */
    static Path hostile(Path folder) {
        Path path = folder.resolve("hostile.bin");
        try (CaptureWriter writer = writer(path)) {
            writer.openConnection(START_NS, null, null);
            writer.protocol(0, START_NS, Protocol.HTTP1);
            int whole = RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END;
            for (String target : new String[] {HOSTILE, "/<img src=x>\u202e\u001b[31m"}) {
                byte[] request = ("GET " + target.replace(" ", "\u00a0") + " HTTP/1.1\r\nHost: <b>h\r\n\r\n")
                        .getBytes(StandardCharsets.UTF_8);
                writer.data(0, START_NS + 1_000_000_000L, whole, ByteBuffer.wrap(request));
            }
            writer.closeConnection(0, START_NS + 2_000_000_000L, CloseReason.CLIENT_FIN);
            writer.lost(1, 2, 3);
        }
        return path;
    }

    /** Returns a capture of so many connections with a request each. */
    static Path connections(Path folder, int count) {
        Path path = folder.resolve("connections.bin");
        byte[] request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        try (CaptureWriter writer = writer(path)) {
            for (int i = 0; i < count; i++) {
                int id = writer.openConnection(START_NS + i, null, null);
                writer.protocol(id, START_NS + i, Protocol.HTTP1);
                int whole = RecordFlags.MESSAGE_START | RecordFlags.MESSAGE_END;
                writer.data(id, START_NS + i, whole, ByteBuffer.wrap(request));
                writer.closeConnection(id, START_NS + i, CloseReason.CLIENT_FIN);
            }
        }
        return path;
    }

    @Test
    void holdsWhatIsInACaptureAndNeedsNothingElse() throws Exception {
        String page = page(Path.of("..", "samples", "users.bin"));

        JsonNode data = data(page);
        assertEquals(3461, data.at("/report/requests").asLong());
        assertEquals("[\"Lost nothing\"]", data.get("missing").toString());
        double columnNs = data.at("/timeline/columnNs").asDouble();
        double counted = 0;
        for (JsonNode rate : data.at("/timeline/requestsPerSec")) {
            counted += rate.asDouble() * columnNs / 1e9;
        }
        assertEquals(3461, counted, 0.01);
        assertEquals(111, data.at("/timeline/connections").size());
        assertFalse(
                Pattern.compile("<[^>]* (src|href)=\"(?!data:|#)").matcher(page).find(), "loads nothing");
        assertTrue(page.length() < 400_000, "size: " + page.length());
    }

    @Test
    void takesNoTextForMarkup() throws Exception {
        String page = page(hostile(folder));

        assertTrue(
                data(page).at("/report/paths").has(HOSTILE),
                data(page).at("/report/paths").toString());
        assertFalse(page.contains("<script>alert"));
        assertFalse(page.contains("<!--"));
        assertTrue(data(page).get("missing").toString().contains("LOST: 2 requests"), page);
    }
}
