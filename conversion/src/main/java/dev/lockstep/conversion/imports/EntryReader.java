package dev.lockstep.conversion.imports;

import java.io.Closeable;
import java.io.IOException;

/** Reads a file entry by entry, in constant memory. Used by one thread, which closes it. */
interface EntryReader extends Closeable {
    /**
     * The next entry, or null at the end. Entries that cannot be imported are counted and passed over. A file that ends
     * early, cut for example, ends there, and that is noted.
     *
     * @throws IOException when the file cannot be read
     */
    Entry next() throws IOException;

    /** The next of the entries that were read ahead, or null where none is left; nothing more is read for it. */
    default Entry held() {
        return null;
    }
}
