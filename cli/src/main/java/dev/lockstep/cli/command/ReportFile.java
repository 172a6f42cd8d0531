package dev.lockstep.cli.command;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.results.directory.OwnerOnly;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes a report to a file that the user named: whole or not at all, readable by its owner only, as runs are; or to
 * standard output, which {@code -} names. Always UTF-8, as pages and XML say of themselves.
 */
public final class ReportFile {
    private static final Path STANDARD_OUTPUT = Path.of("-");

    private ReportFile() {}

    /**
     * Returns whether one of the files is standard output, so that nothing else may be printed there.
     *
     * @param files by the options that name them, null where one is not given
     * @param printed the option that asks for something else on standard output, or null
     * @throws UsageException where several things would be mixed there
     */
    public static boolean isPrinted(Map<String, Path> files, String printed) {
        List<String> all = files.entrySet().stream()
                .filter(file -> isStandardOutput(file.getValue()))
                .map(file -> file.getKey() + " -")
                .collect(Collectors.toList());
        boolean found = !all.isEmpty();
        if (printed != null) {
            all.add(printed);
        }
        if (found && all.size() > 1) {
            throw new UsageException(
                    all.get(0) + ": expected nothing else for standard output, found " + all.get(1) + " beside it");
        }
        return found;
    }

    public static boolean isStandardOutput(Path file) {
        return STANDARD_OUTPUT.equals(file);
    }

    /** Writes a text piece by piece. */
    public interface Text {
        void to(Writer out) throws IOException;
    }

    /** @throws CliException where it cannot be written; a file that was there is kept then */
    public static void write(Path file, String text) {
        write(file, out -> out.write(text), null);
    }

    /**
     * As {@link #write(Path, String)}, of a file that may be standard output.
     *
     * @param out standard output
     */
    public static void write(Path file, String text, PrintWriter out) {
        write(file, to -> to.write(text), out);
    }

    /** As {@link #write(Path, String, PrintWriter)}, of a text that is too long to be held. */
    public static void write(Path file, Text text, PrintWriter out) {
        try {
            if (out != null && isStandardOutput(file)) {
                PrintWriter to = OutputWriter.utf8(out);
                text.to(to);
                to.flush();
                return;
            }
            if (Files.exists(file) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                // A pipe, a device, a link: what it leads to is written, and stays what it is.
                put(file, text);
                return;
            }
            Path folder = file.toAbsolutePath().getParent();
            Path temporary = Files.createTempFile(folder, ".", ".tmp", OwnerOnly.file(folder));
            try {
                put(temporary, text);
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            throw failure(file, e);
        }
    }

    /**
     * Writes behind what a file holds, an empty line between the two, as the steps of a job on GitHub write one
     * summary.
     *
     * @param out standard output, which the file may be
     * @throws CliException where it cannot be written
     */
    public static void append(Path file, String text, PrintWriter out) {
        if (isStandardOutput(file)) {
            write(file, text, out);
            return;
        }
        try (FileChannel channel = FileChannel.open(file, Set.of(CREATE, APPEND), OwnerOnly.file(file))) {
            byte[] bytes = ((channel.size() > 0 ? "\n" : "") + text).getBytes(StandardCharsets.UTF_8);
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        } catch (IOException e) {
            throw failure(file, e);
        }
    }

    private static CliException failure(Path file, IOException e) {
        String reason = Files.isDirectory(file) ? "it is a directory" : MeasurementException.reason(e);
        return new CliException(file + ": the report cannot be written: " + reason);
    }

    private static void put(Path file, Text text) throws IOException {
        try (Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            text.to(out);
        }
    }
}
