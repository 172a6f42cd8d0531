package dev.lockstep.capture;

import java.util.function.LongConsumer;

/** How a capture is opened. Immutable. */
public final class OpenOptions {
    private static final OpenOptions DEFAULTS = new OpenOptions(false, false, null, bytes -> {});

    private final boolean allowTruncated;
    private final boolean follow;
    private final EncryptionKey encryption;
    private final LongConsumer progress;

    private OpenOptions(boolean allowTruncated, boolean follow, EncryptionKey encryption, LongConsumer progress) {
        this.allowTruncated = allowTruncated;
        this.follow = follow;
        this.encryption = encryption;
        this.progress = progress;
    }

    /** Returns the options of {@link Capture#open(java.nio.file.Path)}: no key, and a file that was cut is refused. */
    public static OpenOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns these options with one changed.
     *
     * @param allow whether of a file that was closed, and of which the end is missing or damaged, the blocks before are
     *     read, and the rest counted in {@link CaptureInfo#cutBytes()}; damage before the end is refused all the same,
     *     and a recording that was not closed is read to its last whole block without this
     */
    public OpenOptions allowTruncated(boolean allow) {
        return new OpenOptions(allow, follow, encryption, progress);
    }

    /**
     * Returns these options with one changed.
     *
     * @param following whether a {@link CaptureReader} waits for more at the end of a recording that goes on; a
     *     {@link Capture} never waits
     */
    public OpenOptions follow(boolean following) {
        return new OpenOptions(allowTruncated, following, encryption, progress);
    }

    /**
     * Returns these options with one changed.
     *
     * @param key the key of an encrypted capture, or null; one that is not needed does no harm
     */
    public OpenOptions encryption(EncryptionKey key) {
        return new OpenOptions(allowTruncated, follow, key, progress);
    }

    /**
     * Returns these options with one changed.
     *
     * @param told is told again and again, on the thread that opens a {@link Capture}, how many bytes were read so far; each
     *     byte is read once to be verified, and those of requests once more to be digested
     */
    public OpenOptions progress(LongConsumer told) {
        return new OpenOptions(allowTruncated, follow, encryption, told);
    }

    /** Tells whether a file that was cut is read as far as it goes. */
    public boolean allowTruncated() {
        return allowTruncated;
    }

    /** Tells whether a reader waits for what is still to be recorded. */
    public boolean follow() {
        return follow;
    }

    /** Returns who is told how far the opening of a capture is. */
    LongConsumer progress() {
        return progress;
    }

    /** Returns the key of an encrypted capture, or null. */
    public EncryptionKey encryption() {
        return encryption;
    }
}
