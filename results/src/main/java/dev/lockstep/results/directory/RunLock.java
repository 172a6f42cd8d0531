package dev.lockstep.results.directory;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Says that a process writes a run directory, for as long as it lives: the kernel takes the lock back when the process
 * is killed. Closed by whoever took it.
 */
final class RunLock implements Closeable {
    /**
     * Those of this process. The kernel drops all locks that a process has on a file as soon as it closes any
     * descriptor of it (fcntl(2)), so that it must not open such a file a second time.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final FileChannel channel;

    private RunLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Takes it; absent where another process or part of this one has it. */
    static Optional<RunLock> take(Path directory) throws IOException {
        Path file = directory.resolve(RunFiles.LOCK);
        while (true) {
            Object before = identity(file);
            Optional<RunLock> lock = tryTake(directory, file);
            if (lock.isEmpty()) {
                return lock;
            }
            // Whoever had it before removes the file: what was locked may be a file without a name, and another have
            // the lock that counts. What is open keeps its identity for itself.
            try {
                if (before != null && before.equals(identity(file))) {
                    return lock;
                }
            } catch (IOException e) {
                lock.get().release();
                throw e;
            }
            lock.get().release();
        }
    }

    /** Returns what tells a file from all others, null where there is none. */
    private static Object identity(Path file) throws IOException {
        try {
            Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            return key == null ? file : key;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static Optional<RunLock> tryTake(Path directory, Path file) throws IOException {
        if (!HELD.add(file.toAbsolutePath().normalize())) {
            return Optional.empty();
        }
        Optional<RunLock> lock = Optional.empty();
        try {
            lock = open(directory, file);
            return lock;
        } finally {
            if (lock.isEmpty()) {
                HELD.remove(file.toAbsolutePath().normalize());
            }
        }
    }

    private static Optional<RunLock> open(Path directory, Path file) throws IOException {
        FileChannel channel = FileChannel.open(
                file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OwnerOnly.file(directory));
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
        if (HELD.contains(file.toAbsolutePath().normalize())) {
            return true;
        }
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
        release();
    }

    private void release() throws IOException {
        channel.close();
        HELD.remove(file.toAbsolutePath().normalize());
    }
}
