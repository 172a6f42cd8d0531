package dev.lockstep.redaction;

import io.netty.buffer.ByteBuf;

/** Finds the secrets in a body of one type, taken out of its framing. Runs per piece of a body. */
abstract class BodyScanner {
    /** Prepares for a new body. */
    abstract void begin();

    /**
     * Reads a part of the body.
     *
     * @param base what an index of the buffer lacks to be an offset in the stream
     */
    abstract void scan(ByteBuf bytes, int from, int to, long base);

    /** Ends the body: what is open is replaced as it is. */
    abstract void end();

    /** How many bytes at the end of an open secret may be none of its own, but of what ends it. */
    int endBytes() {
        return 0;
    }

    /** Whether it turned out that not all of this body can be searched. */
    boolean isUnsearched() {
        return false;
    }
}
