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

    /** Whether it turned out that not all of this body can be searched. */
    boolean isUnsearched() {
        return false;
    }
}
