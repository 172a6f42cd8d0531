package dev.lockstep.packets;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Unpacks gzip as far as it goes, as zcat does: damage is told by a {@link DamagedGzipException} once all that comes
 * before it was handed out. Java's own stream withholds up to a whole buffer then. For one thread, which closes it.
 */
public final class GzipInput extends GZIPInputStream {
    private static final int PACKED_BUFFER_BYTES = 64 << 10;
    private static final int BUFFER_BYTES = 256 << 10;
    private static final int MAGIC_BYTES = 2;

    private final Source source;
    private DamagedGzipException damage;

    private GzipInput(Source source) throws IOException {
        super(source, PACKED_BUFFER_BYTES);
        this.source = source;
    }

    /**
     * Opens a file or a pipe, once; its bytes are unpacked where they are gzip.
     *
     * @throws DamagedGzipException when they begin like gzip and nothing can be unpacked
     */
    public static InputStream open(Path path) throws IOException {
        // A channel's stream asks a pipe for its position, which it has not.
        boolean seekable = Files.isRegularFile(path) || Files.notExists(path);
        return unpacked(seekable ? Files.newInputStream(path) : new FileInputStream(path.toFile()));
    }

    /**
     * Returns the bytes of a file or pipe, unpacked where they are gzip, whose marks may lie 256 KiB back. Closing it
     * closes the file; so does a failure of this method.
     *
     * @throws DamagedGzipException when they begin like gzip and nothing can be unpacked
     */
    public static InputStream unpacked(InputStream file) throws IOException {
        Source source = new Source(file);
        try {
            byte[] magic = source.readNBytes(MAGIC_BYTES);
            source.unread(magic);
            boolean gzip = magic.length == MAGIC_BYTES && (magic[0] & 0xff) == 0x1f && (magic[1] & 0xff) == 0x8b;
            return new BufferedInputStream(gzip ? new GzipInput(source) : source, BUFFER_BYTES);
        } catch (EOFException | ZipException e) {
            file.close();
            throw new DamagedGzipException(source.position, e);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (damage != null) {
            throw damage;
        }
        long before = inf.getBytesWritten();
        try {
            return super.read(bytes, offset, length);
        } catch (EOFException | ZipException e) {
            int ahead = e instanceof EOFException ? 0 : inf.getRemaining();
            damage = new DamagedGzipException(source.position - ahead, e);
            // What was unpacked in this call is in the caller's array, although the call has failed.
            int unpacked = (int) (inf.getBytesWritten() - before);
            if (unpacked > 0) {
                return unpacked;
            }
            throw damage;
        }
    }

    /** Returns 0, so that a buffer above this stream hands out what it has before it reads on into the damage. */
    @Override
    public int available() {
        return 0;
    }

    /** The packed bytes. */
    private static final class Source extends PushbackInputStream {
        /** How many bytes were read, without those that were put back. */
        private long position;

        Source(InputStream file) {
            super(new BufferedInputStream(file, PACKED_BUFFER_BYTES), MAGIC_BYTES);
        }

        @Override
        public int read() throws IOException {
            int value = super.read();
            position += value < 0 ? 0 : 1;
            return value;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = super.read(bytes, offset, length);
            position += Math.max(0, count);
            return count;
        }

        @Override
        public void unread(int value) throws IOException {
            super.unread(value);
            position--;
        }

        @Override
        public void unread(byte[] bytes) throws IOException {
            super.unread(bytes, 0, bytes.length);
            position -= bytes.length;
        }

        /**
         * Returns 0 at the end only, for which it may wait. {@link GZIPInputStream} takes 0 for the end of all members,
         * and a pipe has 0 bytes whenever its writer is behind.
         */
        @Override
        public int available() throws IOException {
            int next = read();
            if (next < 0) {
                return 0;
            }
            unread(next);
            return 1;
        }
    }
}
