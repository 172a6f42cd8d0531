package dev.lockstep.results;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Says that a process writes a run directory, for as long as it lives: the kernel takes the lock back when the process
 * is killed. Closed by whoever took it.
 */
final class RunLock implements Closeable {
    private final Path file;
    private final FileChannel channel;

    private RunLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Takes it; absent where another process or part of this one has it. */
    static Optional<RunLock> take(Path directory) throws IOException {
        Path file = directory.resolve(RunFiles.LOCK);
        byte[] mark = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
        while (true) {
            Optional<RunLock> lock = tryTake(directory, file);
            if (lock.isEmpty()) {
                return lock;
            }
            // Whoever had it before removes the file: what was locked may be a file without a name, and another have
            // the lock that counts.
            lock.get().channel.write(ByteBuffer.wrap(mark), 0);
            if (isMarked(file, mark)) {
                return lock;
            }
            lock.get().channel.close();
        }
    }

    private static boolean isMarked(Path file, byte[] mark) throws IOException {
        try {
            return Arrays.equals(mark, Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static Optional<RunLock> tryTake(Path directory, Path file) throws IOException {
        FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                RunFiles.attributes(directory, "rw-------"));
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return Optional.of(new RunLock(file, channel));
            }
        } catch (OverlappingFileLockException e) {
            // As if another process had it.
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        return Optional.empty();
    }

    /** A directory that cannot be written to, or whose file system has no locks, counts as free. */
    static boolean isTaken(Path directory) {
        Path file = directory.resolve(RunFiles.LOCK);
        if (!Files.exists(file)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
        channel.close();
    }
}
