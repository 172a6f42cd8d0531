package dev.lockstep.results.directory;

import dev.lockstep.measurement.MeasurementException;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The interval files of a long run are written in segments of an hour, each a whole file of its format:
 * {@code intervals.jsonl}, then {@code intervals.h2.jsonl} and so on, {@code c2.hlog} and {@code c2.h2.hlog}. A target
 * that was not measured in an hour has no file for it.
 */
final class Segments {
    static final long LENGTH_MS = 3_600_000;
    /** Stands in a line for what is not UTF-8; we never write it. */
    static final char NOT_UTF_8 = '\uFFFD';

    private static final Pattern NUMBER = Pattern.compile(".*\\.h([0-9]{1,6})\\.[a-z]+");
    private static final int FIRST = 1;

    private Segments() {}

    /** Returns the name of a file's segment, counted from 1. */
    static String name(String file, int segment) {
        int ending = file.lastIndexOf('.');
        return segment == FIRST ? file : file.substring(0, ending) + ".h" + segment + file.substring(ending);
    }

    /** Says whether a file is one or any segment of it. */
    static boolean isOf(String name, String file) {
        int ending = file.lastIndexOf('.');
        return name.equals(file)
                || name.startsWith(file.substring(0, ending))
                        && name.endsWith(file.substring(ending))
                        && NUMBER.matcher(name).matches();
    }

    static Path path(Path file, int segment) {
        return file.resolveSibling(name(file.getFileName().toString(), segment));
    }

    /** Returns the number of the last segment of any interval file in the directory. */
    static int last(Path directory) {
        int last = FIRST;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.h*.{jsonl,hlog}")) {
            for (Path file : files) {
                Matcher number = NUMBER.matcher(file.getFileName().toString());
                if (number.matches()) {
                    last = Math.max(last, Integer.parseInt(number.group(1)));
                }
            }
            return last;
        } catch (IOException e) {
            throw new MeasurementException(directory + ": cannot be read: " + MeasurementException.reason(e), e);
        }
    }

    /** A place between two lines of a file's segments. */
    static final class Place {
        /** Before the first line. */
        static final Place START = new Place(FIRST, 0);

        final int segment;
        final int lines;

        Place(int segment, int lines) {
            this.segment = segment;
            this.lines = lines;
        }
    }

    /**
     * Copies what stands behind a place in a file's segments into files of the same names in a folder, which is made
     * where there is something; returns how many bytes that are.
     */
    static long keep(Path file, Place end, Path into) throws IOException {
        long bytes = 0;
        for (int segment = last(file.toAbsolutePath().getParent()); segment >= end.segment; segment--) {
            Path from = path(file, segment);
            if (!Files.exists(from)) {
                continue;
            }
            try (FileChannel channel = FileChannel.open(from)) {
                long offset = segment == end.segment ? offset(channel, end.lines) : 0;
                long rest = channel.size() - offset;
                if (rest > 0) {
                    keep(channel, offset, rest, into, from.getFileName());
                    bytes += rest;
                }
            }
        }
        return bytes;
    }

    private static void keep(FileChannel from, long offset, long length, Path into, Path name) throws IOException {
        if (!Files.exists(into)) {
            Files.createDirectory(into, OwnerOnly.folder(into));
        }
        Path path = into.resolve(name);
        Set<StandardOpenOption> isNew = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel kept = FileChannel.open(path, isNew, OwnerOnly.file(path))) {
            long copied = 0;
            while (copied < length) {
                copied += from.transferTo(offset + copied, length - copied, kept);
            }
            kept.force(true);
        }
    }

    /** Removes what stands behind a place in a file's segments. */
    static void cut(Path file, Place end) throws IOException {
        for (int segment = last(file.toAbsolutePath().getParent()); segment > end.segment; segment--) {
            Files.deleteIfExists(path(file, segment));
        }
        Path cut = path(file, end.segment);
        if (!Files.exists(cut)) {
            return;
        }
        try (FileChannel channel = FileChannel.open(cut, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.truncate(offset(channel, end.lines));
            channel.force(true);
        }
    }

    /** Returns where so many lines end. */
    private static long offset(FileChannel channel, int lines) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        long offset = 0;
        int left = lines;
        while (left > 0 && channel.read(buffer) >= 0) {
            buffer.flip();
            while (left > 0 && buffer.hasRemaining()) {
                left -= buffer.get() == '\n' ? 1 : 0;
                offset++;
            }
            buffer.clear();
        }
        return offset;
    }

    /** The lines of a file's segments, one after the other. Used by one thread, which closes it. */
    static final class Lines implements Closeable {
        private final Path file;
        private final int last;
        private final boolean unended;
        private Path path;
        private BufferedReader reader;
        private int segment;
        private int number;
        private final StringBuilder line = new StringBuilder();

        /**
         * Opens the first segment that there is; throws IOException where there is none.
         *
         * @param unended whether a last line without its end is one; it may have been cut short when the run was killed
         */
        Lines(Path file, boolean unended) throws IOException {
            this.file = file;
            this.unended = unended;
            path = file;
            Path directory = file.toAbsolutePath().getParent();
            last = Files.isDirectory(directory) ? last(directory) : FIRST;
            if (!openNext()) {
                reader = reader(file);
            }
        }

        /**
         * What is not UTF-8, as a power cut may leave it, becomes U+FFFD: the lines before it are read all the same.
         */
        private static BufferedReader reader(Path path) throws IOException {
            return new BufferedReader(new InputStreamReader(Files.newInputStream(path), StandardCharsets.UTF_8));
        }

        private boolean openNext() throws IOException {
            while (segment < last) {
                segment++;
                Path next = Segments.path(file, segment);
                if (Files.exists(next)) {
                    path = next;
                    number = 0;
                    reader = reader(next);
                    return true;
                }
            }
            return false;
        }

        /** Returns the next line without its end, or null where there is none. */
        String next() throws IOException {
            do {
                line.setLength(0);
                int next;
                while ((next = reader.read()) >= 0) {
                    if (next == '\n') {
                        number++;
                        return line.toString();
                    }
                    line.append((char) next);
                }
                reader.close();
                if (unended && line.length() > 0) {
                    reader = new BufferedReader(Reader.nullReader());
                    number++;
                    return line.toString();
                }
            } while (openNext());
            // Read again at its end, it says so again.
            reader = new BufferedReader(Reader.nullReader());
            return null;
        }

        /** Returns where the line that came last stands, for people. */
        String at() {
            return path + ": line " + number;
        }

        /** Returns the place behind the line that came last. */
        Place place() {
            return new Place(Math.max(segment, FIRST), number);
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }
}
