package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.UrlParts;
import dev.lockstep.packets.DamagedGzipException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.Month;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads a web server's log in the common or combined format:
 *
 * <pre>{@code
 * 203.0.113.9 - alice [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.1" 200 512 "https://from.example/" "Agent/1.0"
 * }</pre>
 *
 * <p>A log keeps no bodies: requests that need one cannot be made again, and are counted. Its times have whole seconds:
 * the requests of one second are spread evenly over it, in their order. Apache writes the time at which a request came
 * when its answer ends, so the lines of a second stand among those of others: some are read ahead. The log names the
 * host only where a virtual host stands before the client. Escapes of Apache ({@code \"}, {@code \\}, {@code \xHH} and
 * the letters of C) and nginx ({@code \xHH}) are undone.
 */
final class AccessLogReader implements EntryReader {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

    private final ImportFile file;
    private final LineReader lines;
    /**
     * The lines that were read ahead, by their times. The second that was met first is dealt first, not the earliest:
     * where a log goes back in time, what stands before that would stay here and leave no room for what follows.
     */
    private final Map<Long, ArrayDeque<Line>> ahead = new LinkedHashMap<>();

    private int linesAhead;
    private long bytesAhead;
    private boolean ended;
    /** The lines of one second. They are spread when their number is known. */
    private ArrayDeque<Line> second = new ArrayDeque<>();

    private int inSecond;
    private int dealt;

    /** A line that can be replayed. */
    private static final class Line {
        final long timeNs;
        final byte[] bytes;
        final String client;
        final int status;
        final boolean last;

        Line(long timeNs, byte[] bytes, String client, int status, boolean last) {
            this.timeNs = timeNs;
            this.bytes = bytes;
            this.client = client;
            this.status = status;
            this.last = last;
        }

        int memoryBytes() {
            return bytes.length + Entry.OVERHEAD_BYTES;
        }
    }

    /** How many lines are read ahead, and so how many of one second are spread; more would only wait in memory. */
    private static final int MAX_AHEAD = 10_000;

    /** How much memory lines that are read ahead may take: hundreds of logs may be open at a time. */
    private static final long MAX_AHEAD_BYTES = 4L << 20;

    AccessLogReader(ImportFile file) throws IOException {
        this.file = file;
        this.lines = new LineReader(file);
    }

    @Override
    public Entry next() throws IOException {
        if (second.isEmpty()) {
            readAhead();
        }
        return held();
    }

    @Override
    public Entry held() {
        if (second.isEmpty()) {
            Iterator<ArrayDeque<Line>> seconds = ahead.values().iterator();
            if (!seconds.hasNext()) {
                return null;
            }
            second = seconds.next();
            seconds.remove();
            inSecond = second.size();
            linesAhead -= inSecond;
            second.forEach(line -> bytesAhead -= line.memoryBytes());
            dealt = 0;
        }
        Line line = second.remove();
        InetSocketAddress client = UrlParts.address(line.client, 0);
        return new RebuiltRequest(line.timeNs + SECOND_NS * dealt++ / inSecond, line.bytes, line.client, line.last)
                .between(client, null)
                .answered(line.status);
    }

    /** In a pipe the lines may come slowly: where the import is to stop, what was read by then is all. */
    private void readAhead() throws IOException {
        while (!ended
                && (ahead.isEmpty() || hasRoom() && !file.config.cancelled().getAsBoolean())) {
            String text = null;
            try {
                text = lines.next();
            } catch (DamagedGzipException e) {
                file.damaged(e.getMessage(), null); // what was read ahead is whole
            }
            if (text == null) {
                ended = true;
            } else if (!text.isBlank()) {
                keep(read(text));
            }
        }
    }

    private boolean hasRoom() {
        return linesAhead < MAX_AHEAD && bytesAhead < MAX_AHEAD_BYTES;
    }

    private void keep(Line line) {
        if (line != null) {
            ahead.computeIfAbsent(line.timeNs, unused -> new ArrayDeque<>()).add(line);
            linesAhead++;
            bytesAhead += line.memoryBytes();
        }
    }

    /** Whether a line looks like one of a log. */
    static boolean isLine(String text) {
        LogFields fields = LogFields.of(text);
        return fields != null && timeNs(fields.time) != Entry.NO_TIME;
    }

    /** Returns null for a line that cannot be replayed, which is counted. */
    private Line read(String text) {
        LogFields fields = LogFields.of(text);
        if (fields == null) {
            file.skip(lines.wrong("the line is not of the common or combined log format"), lines.place());
            return null;
        }
        long timeNs = timeNs(fields.time);
        if (timeNs == Entry.NO_TIME) {
            file.skip("the time is none, expected such as 17/May/2015:10:05:03 +0000", lines.place());
            return null;
        }
        String[] parts = fields.request.split(" ", -1);
        if (parts.length != 3 || !parts[2].startsWith("HTTP/")) {
            file.skip("the logged request is no request line", lines.place());
            return null;
        }
        if (RequestText.takesBody(parts[0])) {
            file.skip("a " + parts[0] + " needs its body, which a log does not keep", lines.place());
            return null;
        }
        if (parts[0].equals("CONNECT") && fields.status / 100 == 2) {
            file.skip(RequestText.TUNNEL, lines.place());
            return null;
        }
        try {
            UrlParts url = UrlParts.of(parts[1]);
            String host = url != null ? url.authority : fields.host != null ? fields.host : file.config.host();
            RequestText request = new RequestText(parts[0], parts[1], parts[2], host, null, false);
            header(request, "Referer", fields.referer);
            header(request, "User-Agent", fields.userAgent);
            if (fields.cut) {
                file.change("the line ends within its last field: imported without that header", lines.place());
            }
            if (!parts[2].equals("HTTP/1.1") && !parts[2].equals("HTTP/1.0")) {
                file.change(
                        "logged as "
                                + (parts[2].startsWith("HTTP/2")
                                        ? "HTTP/2"
                                        : parts[2].startsWith("HTTP/3") ? "HTTP/3" : "another version of HTTP")
                                + ", written as HTTP/1.1",
                        lines.place());
            }
            return new Line(timeNs, request.finish(), fields.client, fields.status, request.endsConnection());
        } catch (RequestText.Refused e) {
            file.skip(e.getMessage(), lines.place());
            return null;
        }
    }

    private void header(RequestText request, String name, String value) {
        if (value != null && !value.equals("-") && !value.isEmpty() && request.header(name, value) != null) {
            file.change(name + " holds control characters: left out", lines.place());
        }
    }

    /** The time of {@code 17/May/2015:10:05:03 +0000} in ns since 1970, or {@link Entry#NO_TIME}. */
    private static long timeNs(String text) {
        if (text.length() != 26 || text.charAt(20) != ' ') {
            return Entry.NO_TIME;
        }
        int month = MONTHS.indexOf(text.substring(3, 6));
        if (month < 0 || month % 3 != 0) {
            return Entry.NO_TIME;
        }
        try {
            LocalDateTime local = LocalDateTime.of(
                    Integer.parseInt(text, 7, 11, 10),
                    Month.of(month / 3 + 1),
                    Integer.parseInt(text, 0, 2, 10),
                    Integer.parseInt(text, 12, 14, 10),
                    Integer.parseInt(text, 15, 17, 10),
                    Integer.parseInt(text, 18, 20, 10));
            int sign = text.charAt(21) == '-' ? -1 : 1;
            ZoneOffset offset = ZoneOffset.ofHoursMinutes(
                    sign * Integer.parseInt(text, 22, 24, 10), sign * Integer.parseInt(text, 24, 26, 10));
            return Math.multiplyExact(local.toEpochSecond(offset), SECOND_NS);
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            return Entry.NO_TIME;
        }
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
