package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.UrlParts;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Tells the format of a file by its first bytes. */
final class Recognition {
    /** How many bytes are looked at. */
    static final int HEAD_BYTES = 64 << 10;

    private static final byte[] CAPTURE_MAGIC = {(byte) 0x89, 'L', 'S', 'C'};

    private Recognition() {}

    /** Null when no format is recognised. */
    static ImportFormat of(byte[] head) {
        if (isPackets(head)) {
            return ImportFormat.PCAP;
        }
        String text = new String(head, StandardCharsets.ISO_8859_1);
        if (isTnetstring(text)) {
            return ImportFormat.MITMPROXY;
        }
        if (EnvoyTapBinary.isDelimited(head) || EnvoyTapBinary.isPlain(head)) {
            return ImportFormat.ENVOY_TAP;
        }
        if (text.startsWith("\u00EF\u00BB\u00BF")) {
            text = text.substring(3);
        }
        String trimmed = text.stripLeading();
        if (trimmed.startsWith("{")) {
            return json(trimmed);
        }
        for (String raw : text.split("\n", 50)) {
            String line = raw.trim();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            ImportFormat format = GorReader.isHead(line)
                    ? ImportFormat.GOR
                    : AccessLogReader.isLine(line)
                            ? ImportFormat.ACCESS_LOG
                            : VegetaReader.isTarget(line)
                                    ? ImportFormat.VEGETA
                                    : UrlParts.of(line) != null && line.indexOf(' ') < 0 ? ImportFormat.URLS : null;
            if (format != null) {
                return format;
            }
        }
        return null;
    }

    static boolean isCapture(byte[] head) {
        return Arrays.equals(CAPTURE_MAGIC, Arrays.copyOf(head, CAPTURE_MAGIC.length));
    }

    private static boolean isPackets(byte[] head) {
        if (head.length < 4) {
            return false;
        }
        switch (ByteBuffer.wrap(head).getInt()) {
            case 0xA1B2C3D4:
            case 0xD4C3B2A1:
            case 0xA1B23C4D:
            case 0x4D3CB2A1:
            case 0xA1B2CD34:
            case 0x34CDB2A1:
            case 0x0A0D0D0A:
                return true;
            default:
                return false;
        }
    }

    /** Whether text begins with a length and a dictionary's first key, a short text; an IPv6 address has no such. */
    private static boolean isTnetstring(String text) {
        int colon = digits(text, 0);
        int second = colon <= 0 || colon == text.length() || text.charAt(colon) != ':' ? -1 : digits(text, colon + 1);
        if (second <= colon + 1 || second == text.length() || text.charAt(second) != ':' || second - colon > 3) {
            return false;
        }
        int end = second + 1 + Integer.parseInt(text.substring(colon + 1, second));
        return end < text.length() && (text.charAt(end) == ';' || text.charAt(end) == ',');
    }

    private static int digits(String text, int from) {
        int at = from;
        while (at < text.length() && at < from + 12 && Character.digit(text.charAt(at), 10) >= 0) {
            at++;
        }
        return at;
    }

    private static ImportFormat json(String text) {
        for (String name : new String[] {
            "socket_streamed",
            "socketStreamed",
            "socket_buffered",
            "socketBuffered",
            "http_buffered_trace",
            "httpBufferedTrace",
            "http_streamed_trace",
            "httpStreamedTrace"
        }) {
            if (text.contains('"' + name)) {
                return ImportFormat.ENVOY_TAP;
            }
        }
        if (text.contains("\"log\"")) {
            return ImportFormat.HAR;
        }
        // A collection of Postman's, and an access log in JSON, have these too.
        boolean isOther = text.contains("\"item\"") || text.contains("\"status\"");
        return text.contains("\"method\"") && text.contains("\"url\"") && !isOther ? ImportFormat.VEGETA : null;
    }
}
