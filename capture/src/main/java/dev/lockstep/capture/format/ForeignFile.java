package dev.lockstep.capture.format;

import dev.lockstep.capture.CaptureException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;

/** Says what a file that is no capture looks like, so that the message helps. */
final class ForeignFile {
    private static final int MAGIC_BYTES = 8;
    private static final int TEXT_BYTES = 512;

    private static final Pattern GOREPLAY = Pattern.compile("^[123] [0-9a-f]{16,40} \\d{10,}( -?\\d+)?\\r?\\n");
    private static final Pattern TNETSTRING = Pattern.compile("^\\d{1,12}:\\d{1,12}:");

    private static final String ZIP = "a zip file";
    private static final String ZSTD = "a zstd file";
    private static final String AS_TEXT = "a capture that was damaged by a transfer as text";
    private static final String ZEROS = "a file of zeros";
    private static final String BINARY = "some other binary file";
    /** It may hold a capture, too. */
    private static final String GZIP = "a gzip file";

    private static final Set<String> HARDLY_IMPORTED = Set.of(ZIP, ZSTD, AS_TEXT, ZEROS, BINARY, GZIP);

    private ForeignFile() {}

    /**
     * Refuses a file that does not begin like a capture.
     *
     * @param head the first bytes of the file, not empty
     */
    static void refuse(Path path, ByteBuffer head) {
        byte[] expected = magic();
        byte[] found = new byte[Math.min(MAGIC_BYTES, head.limit())];
        int same = 0;
        for (int i = 0; i < found.length; i++) {
            found[i] = head.get(i);
            same += found[i] == expected[i] ? 1 : 0;
        }
        if (same == MAGIC_BYTES) {
            return;
        }
        String problem = same == found.length
                ? "the file ends in its first bytes"
                : same >= MAGIC_BYTES - 2 ? "the first bytes of this capture are damaged" : foreign(path, head);
        throw new CaptureException(
                path,
                0,
                problem
                        + ": expected " + hex(expected) + ", found " + hex(found)
                        + "; a capture is made by \"replay record\"");
    }

    /**
     * Returns what the file looks like instead.
     *
     * @throws CaptureException where that is something to import, which its first bytes would say nothing more of
     */
    private static String foreign(Path path, ByteBuffer head) {
        String kind = looksLike(head);
        String problem = "not a Lockstep capture, it looks like " + kind;
        if (HARDLY_IMPORTED.contains(kind)) {
            return problem;
        }
        String name = path.getFileName().toString();
        String capture = name.endsWith(".bin") ? "imported.bin" : name.replaceFirst("(?<=.)[.][^.]*$", "") + ".bin";
        throw new CaptureException(
                path, 0, problem + "; make a capture of it: \"replay import " + path + " -o " + capture + "\"");
    }

    private static byte[] magic() {
        byte[] magic = new byte[MAGIC_BYTES];
        for (int i = 0; i < MAGIC_BYTES; i++) {
            magic[i] = (byte) (CaptureFormat.MAGIC >>> (8 * i));
        }
        return magic;
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append(text.length() == 0 ? "" : " ").append(String.format("%02x", b));
        }
        return text.toString();
    }

    private static String looksLike(ByteBuffer head) {
        int first = 0;
        for (int i = 0; i < 4; i++) {
            first = first << 8 | (i < head.limit() ? head.get(i) & 0xFF : 0);
        }
        switch (first) {
            case 0xD4C3B2A1:
            case 0xA1B2C3D4:
            case 0x4D3CB2A1:
            case 0xA1B23C4D:
                return "a pcap file";
            case 0x0A0D0D0A:
                return "a pcapng file";
            case 0x504B0304:
            case 0x504B0506:
                return ZIP;
            case 0x28B52FFD:
                return ZSTD;
            case 0x894C5343:
            case 0xC2894C53:
            case 0xEFBFBD4C:
                return AS_TEXT;
            default:
                return first >>> 16 == 0x1F8B ? GZIP : looksLikeText(head);
        }
    }

    private static String looksLikeText(ByteBuffer head) {
        byte[] start = new byte[Math.min(TEXT_BYTES, head.limit())];
        boolean text = true;
        boolean zeros = true;
        for (int i = 0; i < start.length; i++) {
            byte b = head.get(i);
            start[i] = b;
            zeros &= b == 0;
            text &= b < 0 || b >= ' ' && b != 0x7F || b == '\t' || b == '\n' || b == '\r';
        }
        String characters = new String(start, StandardCharsets.ISO_8859_1);
        if (GOREPLAY.matcher(characters).find()) {
            return "a GoReplay .gor file";
        }
        if (TNETSTRING.matcher(characters).find()) {
            return "a mitmproxy flow file";
        }
        if (zeros) {
            return ZEROS;
        }
        if (!text) {
            return BINARY;
        }
        return characters.trim().startsWith("{") ? "JSON text (perhaps HAR)" : "text";
    }
}
