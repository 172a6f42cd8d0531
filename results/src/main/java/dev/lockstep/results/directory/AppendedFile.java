package dev.lockstep.results.directory;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A file that only its owner can read and that grows by whole entries: an entry is added by {@link #append} and kept by
 * {@link #keep}; {@link #drop} removes what was added since, whole or torn. Used by one thread, which closes it.
 *
 * <p>What was appended is the kernel's: it outlives the death of this process.
 */
final class AppendedFile implements Closeable {
    private final FileChannel channel;
    private long kept;

    /** Creates the file, or empties it. */
    AppendedFile(Path path) throws IOException {
        channel = FileChannel.open(
                path,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE),
                OwnerOnly.file(path));
    }

    void append(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    void keep() throws IOException {
        kept = channel.position();
    }

    void drop() throws IOException {
        // What cannot be cut off is written over by the next entry.
        channel.position(kept);
        channel.truncate(kept);
    }

    /** Has the disk take all of it. Any thread. */
    void force() throws IOException {
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
