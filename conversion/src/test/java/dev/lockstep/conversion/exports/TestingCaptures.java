package dev.lockstep.conversion.exports;

import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.CaptureRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Reads what is in a capture. */
public final class TestingCaptures {
    private TestingCaptures() {}

    /**
     * The text of each complete request; {@code placed} puts its connection and its time, in ns since the start, before
     * it.
     */
    public static List<String> requests(Path capture, boolean placed) throws IOException {
        List<String> requests = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            long startNs = ChronoUnit.NANOS.between(Instant.EPOCH, reader.info().startedAt());
            new WholeRequests(() -> {}).read(reader, (connection, epochNs, request) -> {
                requests.add((placed ? connection.number + " " + (epochNs - startNs) + " " : "")
                        + new String(request, StandardCharsets.ISO_8859_1));
                return null;
            });
        }
        return requests;
    }

    /** Returns all bytes of clients, connection by connection, gaps as {@code <gap>}. */
    public static List<String> streams(Path capture) {
        List<String> streams = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            for (CaptureRecord record = reader.next(); record != null; record = reader.next()) {
                while (record.connection() >= streams.size()) {
                    streams.add("");
                }
                if (record.connection() >= 0 && record.type() != null) {
                    String more;
                    switch (record.type()) {
                        case DATA_C2S:
                            more = StandardCharsets.ISO_8859_1
                                    .decode(record.payload().duplicate())
                                    .toString();
                            break;
                        case GAP:
                            more = "<gap " + record.missingBytes() + ">";
                            break;
                        case HALF_CLOSE:
                            more = "<end>";
                            break;
                        default:
                            more = "";
                    }
                    streams.set(record.connection(), streams.get(record.connection()) + more);
                }
            }
        }
        return streams;
    }
}
