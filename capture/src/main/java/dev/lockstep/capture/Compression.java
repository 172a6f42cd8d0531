package dev.lockstep.capture;

/** How the blocks of a capture are compressed. */
public enum Compression {
    /** Not at all: requests are replayed straight from the file's pages. */
    NONE,
    /** Zstandard, each block by itself; a block that would not become smaller stays as it is. */
    ZSTD
}
