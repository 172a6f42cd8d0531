package dev.lockstep.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.UUID;
import java.util.zip.CRC32C;

/** The first half of the header page: what never changes in the life of a file. Immutable. */
final class CaptureIdentity {
    private final int minor;
    private final UUID id;
    private final long markLow;
    private final long markHigh;
    private final long startEpochNs;
    private final long startMonotonicNs;
    private final String toolVersion;
    private final String host;
    private final String listen;
    private final String upstream;

    /**
     * Makes the identity of a new file.
     *
     * @param markLow the first eight bytes of the mark that begins every block, little endian
     * @param markHigh the other eight
     */
    CaptureIdentity(
            UUID id, long markLow, long markHigh, long startEpochNs, long startMonotonicNs, CaptureOptions options) {
        this(
                CaptureFormat.MINOR,
                id,
                markLow,
                markHigh,
                startEpochNs,
                startMonotonicNs,
                options.toolVersion(),
                options.host(),
                options.listen(),
                options.upstream());
    }

    private CaptureIdentity(
            int minor,
            UUID id,
            long markLow,
            long markHigh,
            long startEpochNs,
            long startMonotonicNs,
            String toolVersion,
            String host,
            String listen,
            String upstream) {
        this.minor = minor;
        this.id = id;
        this.markLow = markLow;
        this.markHigh = markHigh;
        this.startEpochNs = startEpochNs;
        this.startMonotonicNs = startMonotonicNs;
        this.toolVersion = toolVersion;
        this.host = host;
        this.listen = listen;
        this.upstream = upstream;
    }

    /** Returns an identity with a random id and mark that starts now. */
    static CaptureIdentity startingNow(CaptureOptions options) {
        SecureRandom random = new SecureRandom();
        Instant now = Instant.now();
        long epochNs = Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
        return new CaptureIdentity(
                CaptureFormat.MINOR,
                UUID.randomUUID(),
                random.nextLong(),
                random.nextLong(),
                epochNs,
                System.nanoTime(),
                options.toolVersion(),
                options.host() != null ? options.host() : hostName(),
                options.listen(),
                options.upstream());
    }

    /** Returns this machine's name as the kernel has it, or null; never asks a name server. */
    private static String hostName() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).trim();
        } catch (IOException e) {
            return null;
        }
    }

    int minor() {
        return minor;
    }

    UUID id() {
        return id;
    }

    long markLow() {
        return markLow;
    }

    long markHigh() {
        return markHigh;
    }

    long startEpochNs() {
        return startEpochNs;
    }

    long startMonotonicNs() {
        return startMonotonicNs;
    }

    String toolVersion() {
        return toolVersion;
    }

    String host() {
        return host;
    }

    String listen() {
        return listen;
    }

    String upstream() {
        return upstream;
    }

    /** Writes the first half of a header page. */
    void encode(ByteBuffer page) {
        ByteBuffer half = page.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        half.putLong(CaptureFormat.ID_MAGIC, CaptureFormat.MAGIC)
                .putShort(CaptureFormat.ID_MAJOR, (short) CaptureFormat.MAJOR)
                .putShort(CaptureFormat.ID_MINOR, (short) minor)
                .putInt(CaptureFormat.ID_HEADER_BYTES, CaptureFormat.HEADER_BYTES)
                .putLong(CaptureFormat.ID_UUID, Long.reverseBytes(id.getMostSignificantBits()))
                .putLong(CaptureFormat.ID_UUID + 8, Long.reverseBytes(id.getLeastSignificantBits()))
                .putLong(CaptureFormat.ID_MARK, markLow)
                .putLong(CaptureFormat.ID_MARK + 8, markHigh)
                .putLong(CaptureFormat.ID_START_EPOCH_NS, startEpochNs)
                .putLong(CaptureFormat.ID_START_MONOTONIC_NS, startMonotonicNs);
        half.position(CaptureFormat.ID_NOTES);
        putNote(half, CaptureFormat.NOTE_TOOL_VERSION, toolVersion);
        putNote(half, CaptureFormat.NOTE_HOST, host);
        putNote(half, CaptureFormat.NOTE_LISTEN, listen);
        putNote(half, CaptureFormat.NOTE_UPSTREAM, upstream);
        half.putInt(CaptureFormat.ID_NOTES_BYTES, half.position() - CaptureFormat.ID_NOTES);
        half.putInt(CaptureFormat.HALF_CRC, checksum(half, 0));
    }

    private static void putNote(ByteBuffer half, int type, String text) {
        if (text != null) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            half.putShort((short) type).putShort((short) utf8.length).put(utf8);
        }
    }

    /**
     * Reads the first half of a header page.
     *
     * @param page the first bytes of the file, {@value CaptureFormat#HEADER_BYTES} or as many as there are
     * @throws CaptureException when this is no capture, or none that this version can read
     */
    static CaptureIdentity decode(Path path, ByteBuffer page) {
        ForeignFile.refuse(path, page);
        if (page.limit() < CaptureFormat.HEADER_BYTES) {
            throw new CaptureException(
                    path,
                    page.limit(),
                    "the file ends in its header: expected "
                            + CaptureFormat.HEADER_BYTES
                            + " bytes, found "
                            + page.limit()
                            + "; no request is in it");
        }
        int expectedCrc = page.getInt(CaptureFormat.HALF_CRC);
        int foundCrc = checksum(page, 0);
        if (expectedCrc != foundCrc) {
            throw new CaptureException(
                    path,
                    CaptureFormat.HALF_CRC,
                    "the header is damaged: expected checksum "
                            + hex(expectedCrc)
                            + ", found "
                            + hex(foundCrc)
                            + "; restore the file from a copy");
        }
        int major = page.getShort(CaptureFormat.ID_MAJOR) & 0xFFFF;
        int minor = page.getShort(CaptureFormat.ID_MINOR) & 0xFFFF;
        if (major != CaptureFormat.MAJOR) {
            throw new CaptureException(
                    path,
                    CaptureFormat.ID_MAJOR,
                    "expected format version "
                            + CaptureFormat.MAJOR
                            + ".x, found "
                            + major
                            + "."
                            + minor
                            + "; read it with a newer version of Lockstep");
        }
        long unknown = page.getLong(CaptureFormat.ID_INCOMPATIBLE) & ~CaptureFormat.KNOWN_INCOMPATIBLE_FEATURES;
        if (unknown != 0) {
            throw new CaptureException(
                    path,
                    CaptureFormat.ID_INCOMPATIBLE,
                    "the file uses features that this version does not know: expected incompatible feature bits 0x"
                            + Long.toHexString(CaptureFormat.KNOWN_INCOMPATIBLE_FEATURES)
                            + ", found 0x"
                            + Long.toHexString(page.getLong(CaptureFormat.ID_INCOMPATIBLE))
                            + "; read it with a newer version of Lockstep");
        }
        int headerBytes = page.getInt(CaptureFormat.ID_HEADER_BYTES);
        if (headerBytes != CaptureFormat.HEADER_BYTES) {
            throw new CaptureException(
                    path,
                    CaptureFormat.ID_HEADER_BYTES,
                    "expected a header of " + CaptureFormat.HEADER_BYTES + " bytes, found " + headerBytes);
        }
        return new CaptureIdentity(
                minor,
                new UUID(
                        Long.reverseBytes(page.getLong(CaptureFormat.ID_UUID)),
                        Long.reverseBytes(page.getLong(CaptureFormat.ID_UUID + 8))),
                page.getLong(CaptureFormat.ID_MARK),
                page.getLong(CaptureFormat.ID_MARK + 8),
                page.getLong(CaptureFormat.ID_START_EPOCH_NS),
                page.getLong(CaptureFormat.ID_START_MONOTONIC_NS),
                note(path, page, CaptureFormat.NOTE_TOOL_VERSION),
                note(path, page, CaptureFormat.NOTE_HOST),
                note(path, page, CaptureFormat.NOTE_LISTEN),
                note(path, page, CaptureFormat.NOTE_UPSTREAM));
    }

    /** Returns the text of a note, or null; notes of other types are passed over. */
    private static String note(Path path, ByteBuffer page, int wanted) {
        int notesBytes = page.getInt(CaptureFormat.ID_NOTES_BYTES);
        int room = CaptureFormat.HALF_CRC - CaptureFormat.ID_NOTES;
        if (notesBytes < 0 || notesBytes > room) {
            throw new CaptureException(
                    path,
                    CaptureFormat.ID_NOTES_BYTES,
                    "expected at most " + room + " bytes of notes, found " + (notesBytes & 0xFFFFFFFFL));
        }
        int end = CaptureFormat.ID_NOTES + notesBytes;
        for (int at = CaptureFormat.ID_NOTES; at < end; ) {
            int left = end - at - CaptureFormat.NOTE_HEADER_BYTES;
            int length = left < 0 ? 0 : page.getShort(at + 2) & 0xFFFF;
            if (length > left) {
                throw new CaptureException(
                        path, at, "expected a note within " + left + " bytes, found one of " + length);
            }
            int text = at + CaptureFormat.NOTE_HEADER_BYTES;
            if ((page.getShort(at) & 0xFFFF) == wanted) {
                byte[] utf8 = new byte[length];
                ByteBuffer source = page.duplicate();
                source.position(text);
                source.get(utf8);
                return new String(utf8, StandardCharsets.UTF_8);
            }
            at = text + length;
        }
        return null;
    }

    /** Returns the checksum of the half page that begins at an offset: all of it before the checksum itself. */
    static int checksum(ByteBuffer page, int from) {
        CRC32C crc = new CRC32C();
        ByteBuffer bytes = page.duplicate();
        bytes.limit(from + CaptureFormat.HALF_CRC).position(from);
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** Returns a checksum as messages show it. */
    static String hex(int crc) {
        return String.format("%08x", crc);
    }
}
