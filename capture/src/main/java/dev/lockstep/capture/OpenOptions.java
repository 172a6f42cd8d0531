package dev.lockstep.capture;

import java.util.function.LongConsumer;

/** How a capture is opened. Immutable. */
public final class OpenOptions {
    private static final OpenOptions DEFAULTS = new OpenOptions(false, null, bytes -> {});

    private final boolean allowTruncated;
    private final EncryptionKey encryption;
    private final LongConsumer progress;

    private OpenOptions(boolean allowTruncated, EncryptionKey encryption, LongConsumer progress) {
        this.allowTruncated = allowTruncated;
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
     * @param allow whether a closed file whose end is missing or damaged is read as far as it goes, and the rest
     *     counted in {@link CaptureInfo#cutBytes()}; damage before the end is refused in any case, and a recording that
     *     was not closed is read to its last whole block without this
     */
    public OpenOptions allowTruncated(boolean allow) {
        return new OpenOptions(allow, encryption, progress);
    }

    /**
     * Returns these options with one changed.
     *
     * @param key the key of an encrypted capture, or null; one that is not needed does no harm
     */
    public OpenOptions encryption(EncryptionKey key) {
        return new OpenOptions(allowTruncated, key, progress);
    }

    /**
     * Returns these options with one changed.
     *
     * @param told is told again and again, on the thread that opens a {@link Capture}, how many bytes were read so far;
     *     each byte is read once to be verified, and those of requests once more to be digested
     */
    public OpenOptions progress(LongConsumer told) {
        return new OpenOptions(allowTruncated, encryption, told);
    }

    public boolean allowTruncated() {
        return allowTruncated;
    }

    /** Returns the listener for the progress of opening a capture. */
    LongConsumer progress() {
        return progress;
    }

    /** Returns the key of an encrypted capture, or null. */
    public EncryptionKey encryption() {
        return encryption;
    }
}
