package dev.lockstep.monitor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Follows a log that grows and rotates. Used by one thread; closed by its owner.
 *
 * <p>Three ways to rotate are followed, told by the names beside the log's:
 *
 * <ul>
 *   <li>unified logging renames {@code gc.log} to {@code gc.log.0}, {@code gc.log.1} ... in turn and begins a new
 *       {@code gc.log};
 *   <li>JDK 8 writes {@code gc.log.0.current}, renames it to {@code gc.log.0} when full and goes on with
 *       {@code gc.log.1.current};
 *   <li>OpenJ9 writes {@code gc.log.001}, {@code gc.log.002} ... in turn and begins the first anew.
 * </ul>
 *
 * <p>A file is known by its identity (device and inode), not by its name, and the open one is read to its end before
 * the next. Files with the next numbers count only if they were written later.
 */
final class LogTail implements AutoCloseable {
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final long UNNUMBERED = -1;
    /** At most this many files are read in one call, however fast they come. */
    private static final int MAX_FILES = 1000;

    private final Path file;
    private final GcLines lines;
    private final OptionalLong notBeforeEpochMs;
    private final boolean ownerOnly;
    private final ByteBuffer buffer = ByteBuffer.allocate(CHUNK_BYTES);
    private FileChannel channel;
    private Object key;
    private Path path;
    private FileTime modified;
    private long position;

    /**
     * @param notBeforeEpochMs files that were written last before it belong to an earlier JVM; empty if not known
     * @param ownerOnly whether each file is made readable by its owner only
     */
    LogTail(Path file, GcLines lines, OptionalLong notBeforeEpochMs, boolean ownerOnly) {
        this.ownerOnly = ownerOnly;
        this.file = file.toAbsolutePath();
        this.lines = lines;
        this.notBeforeEpochMs = notBeforeEpochMs;
    }

    /** A file of the log, as it was found. */
    private static final class Found {
        private final Path path;
        private final long number;
        private final boolean current;
        private final BasicFileAttributes attributes;

        private Found(Path path, long number, boolean current, BasicFileAttributes attributes) {
            this.path = path;
            this.number = number;
            this.current = current;
            this.attributes = attributes;
        }

        private FileTime modified() {
            return attributes.lastModifiedTime();
        }

        /** Whether lines are still added to it, as far as its name says. */
        private boolean isLive() {
            return current || number == UNNUMBERED;
        }
    }

    /** Reads what there is. */
    void update() throws IOException {
        if (channel == null && !openFirst()) {
            return;
        }
        for (int files = 0; files < MAX_FILES; files++) {
            drain();
            BasicFileAttributes attributes = attributes(path);
            boolean inPlace = attributes != null && Objects.equals(attributes.fileKey(), key);
            if (inPlace) {
                modified = attributes.lastModifiedTime();
                if (attributes.size() < position) {
                    lines.gap();
                    position = 0;
                    continue;
                }
                if (!isNumbered(path)) {
                    return;
                }
            }
            List<Found> all = list();
            Found own = find(all, key);
            Found next = own == null ? firstSince(all) : next(all, own);
            if (next == null) {
                return;
            }
            // It was complete before the next one was begun.
            drain();
            if (own == null) {
                lines.gap();
            } else {
                lines.cut();
            }
            if (!open(next)) {
                return;
            }
        }
    }

    private boolean openFirst() throws IOException {
        List<Found> all = list();
        if (key == null) {
            Found first = first(all);
            return first != null && open(first);
        }
        // It could not be opened the last time.
        Found own = find(all, key);
        if (own != null) {
            return open(own);
        }
        Found next = firstSince(all);
        if (next == null) {
            return false;
        }
        lines.gap();
        return open(next);
    }

    private boolean isNumbered(Path candidate) {
        return number(candidate.getFileName().toString()) >= 0;
    }

    private static BasicFileAttributes attributes(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private boolean open(Found found) throws IOException {
        close();
        try {
            channel = FileChannel.open(found.path, StandardOpenOption.READ);
        } catch (NoSuchFileException e) {
            return false;
        }
        BasicFileAttributes now = attributes(found.path);
        if (now == null || !Objects.equals(now.fileKey(), found.attributes.fileKey())) {
            // Renamed between the two: the next call finds it under its new name.
            close();
            key = found.attributes.fileKey();
            modified = found.modified();
            return false;
        }
        if (ownerOnly) {
            GcLog.hide(found.path);
        }
        path = found.path;
        key = now.fileKey();
        modified = now.lastModifiedTime();
        position = 0;
        return true;
    }

    private void drain() throws IOException {
        while (true) {
            buffer.clear();
            int read = channel.read(buffer, position);
            if (read <= 0) {
                return;
            }
            position += read;
            lines.bytes(buffer.array(), 0, read);
        }
    }

    /** Returns the number in a name of a rotated file, -1 for the log's own name, -2 for any other. */
    private long number(String name) {
        String base = file.getFileName().toString();
        if (name.equals(base)) {
            return UNNUMBERED;
        }
        if (!name.startsWith(base + ".")) {
            return -2;
        }
        int end = name.endsWith(".current") ? name.length() - 8 : name.length();
        long number = GcText.number(name, Math.min(base.length() + 1, end), end);
        return number < 0 ? -2 : number;
    }

    private List<Found> list() throws IOException {
        List<Found> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(file.getParent())) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                long number = number(name);
                BasicFileAttributes attributes = number < UNNUMBERED ? null : attributes(entry);
                if (attributes != null && attributes.isRegularFile()) {
                    found.add(new Found(entry, number, name.endsWith(".current"), attributes));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // The folder comes with the log.
        }
        return found;
    }

    private static Found find(List<Found> all, Object key) {
        return all.stream()
                .filter(found -> Objects.equals(found.attributes.fileKey(), key))
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the file in which the log begins: the oldest that is not of an earlier JVM, or the newest when that is
     * not known.
     */
    private Found first(List<Found> all) {
        Comparator<Found> byAge = Comparator.<Found, FileTime>comparing(Found::modified)
                .thenComparing(found -> found.isLive() ? 1 : 0)
                .thenComparing(found -> found.number);
        if (notBeforeEpochMs.isEmpty()) {
            return all.stream().max(byAge).orElse(null);
        }
        return all.stream()
                .filter(found -> found.modified().toMillis() >= notBeforeEpochMs.getAsLong())
                .min(byAge)
                .orElse(null);
    }

    /** Returns the oldest file written after the last one read, which is gone. */
    private Found firstSince(List<Found> all) {
        return all.stream()
                .filter(found -> found.isLive() || found.modified().compareTo(modified) > 0)
                .min(Comparator.<Found>comparingInt(found -> found.isLive() ? 1 : 0)
                        .thenComparing(Found::modified))
                .orElse(null);
    }

    /** Returns the file after the one that is read, or null when that is still the last. */
    private static Found next(List<Found> all, Found own) {
        if (own.isLive()) {
            return null;
        }
        Found after = all.stream()
                .filter(found -> !found.isLive()
                        && found.number != own.number
                        && found.modified().compareTo(own.modified()) > 0)
                .min(Comparator.<Found>comparingInt(found -> found.number > own.number ? 0 : 1)
                        .thenComparing(found -> found.number))
                .orElse(null);
        if (after != null) {
            return after;
        }
        return all.stream()
                .filter(Found::isLive)
                .max(Comparator.comparing(Found::modified))
                .orElse(null);
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            FileChannel open = channel;
            channel = null;
            open.close();
        }
    }
}
