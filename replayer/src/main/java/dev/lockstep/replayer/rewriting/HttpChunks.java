package dev.lockstep.replayer.rewriting;

import java.util.ArrayList;
import java.util.List;

/**
 * A chunked body (RFC 9112, 7.1) whose payload can be changed: chunks stay where they were cut, their sizes are
 * corrected, extensions and trailers are kept. A character stands for a byte (ISO 8859-1). For one thread.
 */
final class HttpChunks {
    /** What the chunks held as recorded. */
    final String payload;
    /** Each chunk's line with its size, its line end included. */
    private final List<String> sizeLines;
    /** What stands behind each chunk's data. */
    private final List<String> lineEnds;
    /** Where each chunk ends in the payload as it is now. */
    private final int[] ends;
    /** Where it ended as recorded. */
    private final int[] recordedEnds;
    /** The last chunk and the trailers. */
    private final String tail;

    private HttpChunks(String payload, List<String> sizeLines, List<String> lineEnds, int[] ends, String tail) {
        this.payload = payload;
        this.sizeLines = sizeLines;
        this.lineEnds = lineEnds;
        this.ends = ends;
        this.recordedEnds = ends.clone();
        this.tail = tail;
    }

    /** Reads a whole body; null where its chunks are malformed. */
    static HttpChunks of(String body) {
        StringBuilder payload = new StringBuilder(body.length());
        List<String> sizeLines = new ArrayList<>();
        List<String> lineEnds = new ArrayList<>();
        List<Integer> ends = new ArrayList<>();
        int at = 0;
        while (true) {
            int lineFeed = body.indexOf('\n', at);
            int digits = digits(body, at);
            if (lineFeed < 0 || digits == 0 || digits > 7) {
                return null;
            }
            int size = Integer.parseInt(body.substring(at, at + digits), 16);
            if (size == 0) {
                int[] cuts = ends.stream().mapToInt(Integer::intValue).toArray();
                return new HttpChunks(payload.toString(), sizeLines, lineEnds, cuts, body.substring(at));
            }
            int dataEnd = lineFeed + 1 + size;
            String lineEnd = body.startsWith("\r\n", dataEnd) ? "\r\n" : "\n";
            if (dataEnd > body.length() || !body.startsWith(lineEnd, dataEnd)) {
                return null;
            }
            sizeLines.add(body.substring(at, lineFeed + 1));
            payload.append(body, lineFeed + 1, dataEnd);
            ends.add(payload.length());
            lineEnds.add(lineEnd);
            at = dataEnd + lineEnd.length();
        }
    }

    private static int digits(String body, int from) {
        int at = from;
        while (at < body.length() && Character.digit(body.charAt(at), 16) >= 0) {
            at++;
        }
        return at - from;
    }

    /**
     * Moves the cuts behind a replaced piece of the payload; the replacement is in the chunk in which the piece began.
     */
    void replaced(int from, int to, int newLength) {
        for (int i = 0; i < ends.length; i++) {
            if (ends[i] >= to) {
                ends[i] += newLength - (to - from);
            } else if (ends[i] > from) {
                ends[i] = from + newLength;
            }
        }
    }

    /** Returns the body with this payload, for which {@link #replaced} was told all that changed. */
    String with(String changed) {
        StringBuilder body = new StringBuilder();
        int from = 0;
        int recordedFrom = 0;
        for (int i = 0; i < ends.length; i++) {
            int size = ends[i] - from;
            String line = sizeLines.get(i);
            // A chunk without bytes would be the last one.
            if (size > 0) {
                if (size == recordedEnds[i] - recordedFrom) {
                    body.append(line);
                } else {
                    body.append(Integer.toHexString(size)).append(line, digits(line, 0), line.length());
                }
                body.append(changed, from, ends[i]).append(lineEnds.get(i));
            }
            from = ends[i];
            recordedFrom = recordedEnds[i];
        }
        return body.append(tail).toString();
    }
}
