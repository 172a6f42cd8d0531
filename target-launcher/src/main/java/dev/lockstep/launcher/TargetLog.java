package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What one launch of a target wrote to standard output and standard error. Safe to use from any thread.
 *
 * <p>Design note: the target writes to the file directly, not through a pipe to us. It never waits for this process,
 * costs it nothing during a run, and its output survives when this process is killed. What it appends goes behind the
 * end of the file, wherever that is: so a file that grows too long can be cut meanwhile.
 */
final class TargetLog {
    private static final int TAIL_BYTES = 16 * 1024;
    private static final int TAIL_LINES = 20;
    private static final int LINE_CHARS = 1_000;
    /** So much of a launch's beginning is kept, and so much of its end where that does not fit. */
    private static final long FIRST_BYTES = 256L << 20;

    private static final int LAST_BYTES = 1 << 20;
    /** The end may grow to so many times that. It is little that is cut at a time, for the target's writes wait. */
    private static final int LONGEST_END = 16;

    final Path file;
    private final long firstBytes;
    private final int lastBytes;
    /** The offset at which this launch begins; earlier launches of the target stand before it. */
    private final long start;

    /** The length of the line that stands in place of what was cut out. */
    private int markBytes;

    private volatile long cutBytes;

    /** @param file is made when missing, else appended to */
    TargetLog(Path file) throws IOException {
        this(file, FIRST_BYTES, LAST_BYTES);
    }

    /** As the other, with other limits of what is kept. */
    TargetLog(Path file, long firstBytes, int lastBytes) throws IOException {
        this.firstBytes = firstBytes;
        this.lastBytes = lastBytes;
        Files.createDirectories(file.getParent());
        if (Files.notExists(file)) {
            // An application may print what its users sent: the file is private.
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        this.file = file;
        this.start = Files.size(file);
    }

    /** Returns the first bytes of this launch, for what a JVM says at its start. */
    String head() {
        return read(start, 4 * TAIL_BYTES);
    }

    /** Returns the last lines, each cut to a readable length. */
    List<String> tail() {
        try {
            long from = Math.max(start, Files.size(file) - TAIL_BYTES);
            String[] lines = read(from, TAIL_BYTES).split("\r?\n");
            int first = Math.max(0, lines.length - TAIL_LINES);
            for (int i = first; i < lines.length; i++) {
                if (lines[i].length() > LINE_CHARS) {
                    lines[i] = lines[i].substring(0, LINE_CHARS) + "...";
                }
            }
            return lines.length == 1 && lines[0].isEmpty()
                    ? List.of()
                    : List.of(lines).subList(first, lines.length);
        } catch (IOException e) {
            return List.of();
        }
    }

    /**
     * Cuts out the middle of what is too long: a target that logs each request would fill the disk in a day. To be
     * called about once a second, by one thread.
     */
    void cut() {
        try {
            long size = Files.size(file);
            if (size - start <= firstBytes + (long) LONGEST_END * lastBytes) {
                return;
            }
            ByteBuffer last = ByteBuffer.allocate(2 * lastBytes);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                long from = channel.size() - lastBytes;
                // To the very end, which moves meanwhile: a target that dies just now says here of what.
                for (int read = 0; read >= 0 && last.hasRemaining(); ) {
                    read = channel.read(last, from + last.position());
                }
                channel.truncate(start + firstBytes);
                cutBytes += from - start - firstBytes - markBytes;
                markBytes = 0;
            }
            String mark = "\n[Lockstep cut out " + cutBytes
                    + " bytes here, for the output is too long: its beginning and its end are kept]\n";
            append(mark.getBytes(StandardCharsets.UTF_8), Arrays.copyOf(last.array(), last.position()));
            markBytes = mark.length();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            // It is tried again, as long as the target writes; who looks here also waits for the target's end.
        }
    }

    private void append(byte[] one, byte[] other) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(one.length + other.length);
        bytes.put(one).put(other).flip();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.APPEND)) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /** Returns how much was cut out of it, for people; absent where all is kept. */
    Optional<String> whatIsCut() {
        long all = cutBytes;
        return all == 0
                ? Optional.empty()
                : Optional.of("its output is too long: the middle of " + file.getFileName() + ", "
                        + Math.max(1, all >> 20) + " MiB, was cut out");
    }

    private String read(long from, int maxBytes) {
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            byte[] bytes = Channels.newInputStream(channel.position(from)).readNBytes(maxBytes);
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
