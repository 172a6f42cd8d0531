package dev.lockstep.replayer.comparison;

/** The beginning of an answer's body, as it came. Immutable as long as nobody writes to the array. */
public final class AnswerBody {
    /** What was done to the body for its way. */
    public enum Coding {
        NONE,
        GZIP,
        /** Another one, or several. */
        OTHER
    }

    private final String contentType;
    private final Coding coding;
    private final byte[] beginning;
    private final long bytes;

    /** @param beginning not copied */
    public AnswerBody(String contentType, Coding coding, byte[] beginning, long bytes) {
        this.contentType = contentType;
        this.coding = coding;
        this.beginning = beginning;
        this.bytes = bytes;
    }

    /** Returns its Content-Type, or its beginning if that is long; empty without one. */
    public String contentType() {
        return contentType;
    }

    public Coding coding() {
        return coding;
    }

    /** Returns the first bytes of it; not a copy. */
    public byte[] beginning() {
        return beginning;
    }

    /** Returns how long it was in all. */
    public long bytes() {
        return bytes;
    }
}
