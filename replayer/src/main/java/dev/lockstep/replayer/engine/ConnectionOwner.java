package dev.lockstep.replayer.engine;

import dev.lockstep.measurement.ErrorKind;

/** Sends its requests over one {@link ReplayConnection} and is told what becomes of it. Event loop only. */
interface ConnectionOwner {
    /** The connection is open. */
    void connected();

    /** The socket takes bytes again, after it was {@link ReplayConnection#isWritable full}. */
    void writable();

    /**
     * An answer was read to its end.
     *
     * @param reusable whether the connection can carry more; where not, it is closed next
     */
    void answered(boolean reusable);

    /**
     * The connection closed or could not be opened; its requests in flight are counted already.
     *
     * @param connectError why it could not be opened, or null where it was open
     */
    void closed(ErrorKind connectError);
}
