package dev.lockstep.capture.format;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.ClockReading;
import dev.lockstep.capture.Compression;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.zip.CRC32C;

/** The first half of the header page: what never changes in the life of a file. Immutable. */
public final class CaptureIdentity {
    /** The minor version of the format. */
    public final int minor;
    /** The id that all segments of the capture share. */
    public final UUID id;
    /** The mark of this file's blocks. */
    public final BlockMark mark;
    /** The start of the capture. */
    public final ClockReading start;
    /** The place of the file among the segments of its capture, from 0. */
    public final int segment;

    private final long features;
    /** The notes by their types. */
    private final String[] notes;

    /** Makes the identity of a new file, the first segment of its capture. */
    public CaptureIdentity(UUID id, BlockMark mark, ClockReading start, CaptureOptions options) {
        this(
                CaptureFormat.MINOR,
                id,
                mark,
                start,
                0,
                (options.compression() == Compression.ZSTD ? CaptureFormat.FEATURE_COMPRESSED : 0)
                        | (options.encryption() == null ? 0 : CaptureFormat.FEATURE_ENCRYPTED),
                notes(options));
    }

    private CaptureIdentity(
            int minor, UUID id, BlockMark mark, ClockReading start, int segment, long features, String[] notes) {
        this.minor = minor;
        this.id = id;
        this.mark = mark;
        this.start = start;
        this.segment = segment;
        this.features = features;
        this.notes = notes;
    }

    private static String[] notes(CaptureOptions options) {
        String[] notes = new String[CaptureFormat.NOTE_TYPES];
        notes[CaptureFormat.NOTE_TOOL_VERSION] = options.toolVersion();
        notes[CaptureFormat.NOTE_HOST] = options.host() != null ? options.host() : hostName();
        notes[CaptureFormat.NOTE_LISTEN] = options.listen();
        notes[CaptureFormat.NOTE_UPSTREAM] = options.upstream();
        notes[CaptureFormat.NOTE_FILTERS] = options.filters();
        notes[CaptureFormat.NOTE_SAMPLING] = options.sampling();
        notes[CaptureFormat.NOTE_REDACTION] = options.redaction();
        notes[CaptureFormat.NOTE_KEY_ID] =
                options.encryption() == null ? null : options.encryption().id();
        notes[CaptureFormat.NOTE_COMMENT] = options.comment();
        return notes;
    }

    /** Returns the identity of the next segment of this capture, with a random mark of its own. */
    public CaptureIdentity nextSegment(long connectionsBefore, long recordsBefore) {
        String[] itsNotes = notes.clone();
        itsNotes[CaptureFormat.NOTE_CONNECTIONS_BEFORE] = Long.toString(connectionsBefore);
        itsNotes[CaptureFormat.NOTE_RECORDS_BEFORE] = Long.toString(recordsBefore);
        return new CaptureIdentity(minor, id, BlockMark.random(), start, segment + 1, features, itsNotes);
    }

    /** Returns an identity with a random id and mark. */
    public static CaptureIdentity startingNow(CaptureOptions options) {
        return new CaptureIdentity(UUID.randomUUID(), BlockMark.random(), options.startOrNow(), options);
    }

    /** Returns this machine's name as the kernel has it, or null; never asks a name server. */
    private static String hostName() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).trim();
        } catch (IOException e) {
            return null;
        }
    }

    /** Whether blocks may be compressed. */
    public boolean compressed() {
        return (features & CaptureFormat.FEATURE_COMPRESSED) != 0;
    }

    /** Whether blocks of records are encrypted. */
    public boolean encrypted() {
        return (features & CaptureFormat.FEATURE_ENCRYPTED) != 0;
    }

    /** Returns a note of {@link CaptureFormat}'s types, or null. */
    public String note(int type) {
        return notes[type];
    }

    /** Returns how many connections, or records, the earlier segments have; 0 when the file does not say. */
    public long before(int noteType) {
        try {
            return notes[noteType] == null ? 0 : Math.max(0, Long.parseLong(notes[noteType]));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Writes the first half of a header page. */
    public void encode(ByteBuffer page) {
        ByteBuffer half = page.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        half.putLong(CaptureFormat.ID_MAGIC, CaptureFormat.MAGIC)
                .putShort(CaptureFormat.ID_MAJOR, (short) CaptureFormat.MAJOR)
                .putShort(CaptureFormat.ID_MINOR, (short) minor)
                .putInt(CaptureFormat.ID_HEADER_BYTES, CaptureFormat.HEADER_BYTES)
                .putLong(CaptureFormat.ID_INCOMPATIBLE, features)
                .putLong(CaptureFormat.ID_UUID, Long.reverseBytes(id.getMostSignificantBits()))
                .putLong(CaptureFormat.ID_UUID + 8, Long.reverseBytes(id.getLeastSignificantBits()))
                .putLong(CaptureFormat.ID_START_EPOCH_NS, start.epochNs)
                .putLong(CaptureFormat.ID_START_MONOTONIC_NS, start.monotonicNs)
                .putInt(CaptureFormat.ID_SEGMENT, segment);
        mark.put(half, CaptureFormat.ID_MARK);
        half.position(CaptureFormat.ID_NOTES);
        for (int type = 1; type < notes.length; type++) {
            putNote(half, type, notes[type]);
        }
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
    public static CaptureIdentity decode(Path path, ByteBuffer page) {
        ForeignFile.refuse(path, page);
        if (page.limit() < CaptureFormat.HEADER_BYTES) {
            throw new CaptureException(
                    path,
                    page.limit(),
                    "the file ends in its header: expected " + CaptureFormat.HEADER_BYTES + " bytes, found "
                            + page.limit() + "; no request is in it");
        }
        int expectedCrc = page.getInt(CaptureFormat.HALF_CRC);
        int foundCrc = checksum(page, 0);
        if (expectedCrc != foundCrc) {
            throw new CaptureException(
                    path,
                    CaptureFormat.HALF_CRC,
                    "the header is damaged: expected checksum " + hex(expectedCrc) + ", found " + hex(foundCrc)
                            + "; restore the file from a copy");
        }
        int major = page.getShort(CaptureFormat.ID_MAJOR) & 0xFFFF;
        int minor = page.getShort(CaptureFormat.ID_MINOR) & 0xFFFF;
        if (major != CaptureFormat.MAJOR) {
            throw new CaptureException(
                    path,
                    CaptureFormat.ID_MAJOR,
                    "expected format version " + CaptureFormat.MAJOR + ".x, found " + major + "." + minor
                            + "; read it with a newer version of Lockstep");
        }
        long unknown = page.getLong(CaptureFormat.ID_INCOMPATIBLE) & ~CaptureFormat.KNOWN_INCOMPATIBLE_FEATURES;
        if (unknown != 0) {
            throw new CaptureException(
                    path,
                    CaptureFormat.ID_INCOMPATIBLE,
                    "the file uses features that this version does not know: expected incompatible feature bits 0x"
                            + Long.toHexString(CaptureFormat.KNOWN_INCOMPATIBLE_FEATURES) + ", found 0x"
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
                BlockMark.at(page, CaptureFormat.ID_MARK),
                new ClockReading(
                        page.getLong(CaptureFormat.ID_START_EPOCH_NS),
                        page.getLong(CaptureFormat.ID_START_MONOTONIC_NS)),
                page.getInt(CaptureFormat.ID_SEGMENT),
                page.getLong(CaptureFormat.ID_INCOMPATIBLE),
                notes(path, page));
    }

    /** Returns the notes by their types; those of other types are passed over. */
    private static String[] notes(Path path, ByteBuffer page) {
        String[] notes = new String[CaptureFormat.NOTE_TYPES];
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
            int type = page.getShort(at) & 0xFFFF;
            int text = at + CaptureFormat.NOTE_HEADER_BYTES;
            if (type < notes.length && notes[type] == null) {
                byte[] utf8 = new byte[length];
                ByteBuffer source = page.duplicate();
                source.position(text);
                source.get(utf8);
                notes[type] = new String(utf8, StandardCharsets.UTF_8);
            }
            at = text + length;
        }
        return notes;
    }

    /** Returns the checksum of the half page that begins at an offset: all of it before the checksum itself. */
    public static int checksum(ByteBuffer page, int from) {
        CRC32C crc = new CRC32C();
        ByteBuffer bytes = page.duplicate();
        bytes.limit(from + CaptureFormat.HALF_CRC).position(from);
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** Returns a checksum as messages show it. */
    public static String hex(int crc) {
        return String.format("%08x", crc);
    }
}
