package dev.lockstep.capture;

/** The flags of a record; they are annotations beside the bytes and are combined with {@code |}. */
public final class RecordFlags {
    /** The first byte of this record begins a message. */
    public static final int MESSAGE_START = 1;

    /** The last byte of this record ends a message. */
    public static final int MESSAGE_END = 1 << 1;

    /** Bytes of this record were replaced by as many others before they reached the disk. */
    public static final int REDACTED = 1 << 2;

    /** Fewer bytes are here than were on the wire; what follows this record's payload was cut off. */
    public static final int TRUNCATED = 1 << 3;

    /** The message begun by this record was sent before the server had said anything to the one before it. */
    public static final int PIPELINED = 1 << 4;

    /** Every flag that format version 1.0 defines. */
    static final int KNOWN = MESSAGE_START | MESSAGE_END | REDACTED | TRUNCATED | PIPELINED;

    private RecordFlags() {}
}
