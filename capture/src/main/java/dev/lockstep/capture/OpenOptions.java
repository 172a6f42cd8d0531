package dev.lockstep.capture;

/** How a capture is opened. Immutable. */
public final class OpenOptions {
    private static final OpenOptions DEFAULTS = new OpenOptions(false);

    private final boolean allowTruncated;

    private OpenOptions(boolean allowTruncated) {
        this.allowTruncated = allowTruncated;
    }

    /** Returns the options of {@link Capture#open(java.nio.file.Path)}: a file with a torn end is refused. */
    public static OpenOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns these options with one changed.
     *
     * @param allow whether a torn end, as a crash or an incomplete copy leaves it, is left out and counted in
     *     {@link CaptureInfo#cutBytes()}; damage before the end is refused all the same
     */
    public OpenOptions allowTruncated(boolean allow) {
        return new OpenOptions(allow);
    }

    /** Tells whether a torn end is left out instead of refused. */
    public boolean allowTruncated() {
        return allowTruncated;
    }
}
