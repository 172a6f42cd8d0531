package dev.lockstep.capture.files;

import dev.lockstep.capture.CaptureException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A capture file on disk that only its owner may read. */
public final class FileOutput implements CaptureOutput {
    private final FileChannel channel;
    /** Kept, since a lock is released when its object becomes garbage. */
    private FileLock lock;

    private FileOutput(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Creates the file with mode 0600 from its first instant.
     *
     * <p>Design note: an old file is deleted, not truncated, so that a process that has it mapped can go on reading it.
     *
     * @throws CaptureException when the file exists and is not to be overwritten, another recorder has it open, or it
     *     cannot be created
     */
    public static FileOutput create(Path path, boolean overwrite) {
        try {
            Path target = path;
            if (overwrite && Files.exists(path)) {
                if (!Files.isRegularFile(path)) {
                    throw new CaptureException(path, "exists and is not a regular file; give another path");
                }
                target = path.toRealPath();
                refuseRecorded(target);
                Files.delete(target);
            }
            FileOutput output = new FileOutput(FileChannel.open(
                    target,
                    Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
            output.lock();
            return output;
        } catch (FileAlreadyExistsException e) {
            // To replace that one would be refused, too.
            refuseRecorded(path);
            throw new CaptureException(path, "the file exists; give another path, or --force to replace it", e);
        } catch (NoSuchFileException e) {
            throw new CaptureException(path, "cannot be created: its directory does not exist", e);
        } catch (IOException e) {
            throw new CaptureException(path, "cannot be created: " + CaptureException.reason(e), e);
        }
    }

    /**
     * Refuses to delete a file that is being recorded.
     *
     * @throws CaptureException when a recorder has it open: it would go on in a file without a name
     */
    public static void refuseRecorded(Path path) {
        if (!Files.isRegularFile(path)) {
            return;
        }
        boolean recorded = false;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
                FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            recorded = lock == null;
        } catch (OverlappingFileLockException e) {
            recorded = true;
        } catch (IOException e) {
            // We cannot tell, and deleting it is what was asked for.
        }
        if (recorded) {
            throw new CaptureException(
                    path, "is being recorded; stop that recorder before replacing the file, or give another path");
        }
    }

    /**
     * Opens a file for more.
     *
     * @param knownBytes how long it was when its end was looked for
     * @throws CaptureException when it cannot be opened, another recorder has it open, or one has had since
     */
    public static FileOutput append(Path path, long knownBytes) {
        try {
            FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
            FileOutput output = new FileOutput(channel);
            if (!output.lock()) {
                channel.close();
                throw new CaptureException(path, "is being recorded; stop that recorder before appending");
            }
            long bytes = channel.size();
            if (bytes != knownBytes) {
                channel.close();
                throw new CaptureException(
                        path,
                        "was changed while it was read: expected " + knownBytes + " bytes, found " + bytes
                                + "; append again once nobody else writes it");
            }
            return output;
        } catch (IOException e) {
            throw new CaptureException(path, "cannot be appended to: " + CaptureException.reason(e), e);
        }
    }

    /**
     * Locks the file for as long as it is open, so that others see that its recorder lives; false when another has the
     * lock. On a file system without locks the lock counts as granted.
     */
    private boolean lock() {
        try {
            lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public void write(ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
        }
    }

    @Override
    public void truncate(long length) throws IOException {
        channel.truncate(length);
    }

    @Override
    public void force() throws IOException {
        channel.force(true);
    }

    @Override
    public void close() throws IOException {
        lock = null;
        channel.close();
    }
}
