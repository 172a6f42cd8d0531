package dev.lockstep.conversion;

import java.io.Closeable;
import java.io.IOException;

/** Reads a file entry by entry, in constant memory. Used by one thread, which closes it. */
interface EntryReader extends Closeable {
    /**
     * Returns the next entry, or null at the end. What cannot be imported is counted and passed over; what ends the
     * file early, such as a cut, is noted and is the end.
     *
     * @throws IOException when the file cannot be read
     */
    Entry next() throws IOException;
}
