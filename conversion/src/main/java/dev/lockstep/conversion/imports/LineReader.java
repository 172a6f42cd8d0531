package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.Limits;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the lines of a file. Each byte becomes the character of ISO 8859-1 with its number, so that no byte changes.
 * For one thread.
 */
final class LineReader implements Closeable {
    private static final byte[] LINE_FEED = {'\n'};
    private static final String BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF";

    private final ImportFile file;
    private final ByteSource source;
    private long number;
    private long begunAt;
    private boolean hasEnd;

    LineReader(ImportFile file) throws IOException {
        this.file = file;
        this.source = new ByteSource(file.open());
    }

    /** The next line without its end, or null. A line that is too long is empty, and counted as skipped. */
    String next() throws IOException {
        begunAt = source.position();
        byte[] bytes = source.readUntil(LINE_FEED, Limits.LINE_BYTES);
        if (bytes == null) {
            return null;
        }
        hasEnd = source.wasSeparated();
        String line = new String(bytes, StandardCharsets.ISO_8859_1);
        if (++number == 1 && line.startsWith(BYTE_ORDER_MARK)) {
            line = line.substring(BYTE_ORDER_MARK.length());
        }
        if (source.wasTooLong()) {
            file.skip("the line is longer than " + Limits.LINE_BYTES + " bytes", place());
        }
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }

    /** Whether a line has begun that could not be read to its end, where {@link #next} failed. */
    boolean isInLine() {
        return source.position() > begunAt;
    }

    /** Returns what is wrong with the last line, and where it has no end that its writer did not come to it. */
    String wrong(String problem) {
        return hasEnd ? problem : problem + ": the input ends within it";
    }

    /** Where the last line stands, for people. */
    String place() {
        return "line " + number;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
