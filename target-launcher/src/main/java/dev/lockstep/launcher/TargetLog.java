package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * What one launch of a target wrote to standard output and standard error. Safe to use from any thread.
 *
 * <p>Design note: the target writes to the file directly, not through a pipe to us. It never waits for this process,
 * costs it nothing during a run, and its output survives when this process is killed.
 */
final class TargetLog {
    private static final int TAIL_BYTES = 16 * 1024;
    private static final int TAIL_LINES = 20;
    private static final int LINE_CHARS = 1_000;

    final Path file;
    /** The offset at which this launch begins; earlier launches of the target stand before it. */
    private final long start;

    /** @param file is made when missing, else appended to */
    TargetLog(Path file) throws IOException {
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

    private String read(long from, int maxBytes) {
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            channel.position(from);
            ByteBuffer bytes = ByteBuffer.allocate(maxBytes);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                continue;
            }
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
