package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.Findings;
import dev.lockstep.packets.DamagedGzipException;
import dev.lockstep.packets.GzipInput;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** A file to import, with the counts of what is found in it. Used by one thread. */
final class ImportFile {
    final Path path;
    final ImportConfig config;
    private final Findings skipped;
    private final Findings changed;
    private final boolean oneOfMany;
    private final InputStream opened;

    /**
     * @param oneOfMany whether findings name the file
     * @param opened the file's unpacked bytes where it is open already, or null
     */
    ImportFile(
            Path path, ImportConfig config, Findings skipped, Findings changed, boolean oneOfMany, InputStream opened) {
        this.path = path;
        this.config = config;
        this.skipped = skipped;
        this.changed = changed;
        this.oneOfMany = oneOfMany;
        this.opened = opened;
    }

    /** Counts an entry that is not imported; {@code place} is such as {@code line 12}. */
    void skip(String reason, String place) {
        skipped.add(reason, named(place));
    }

    void skip(String reason, String place, long count) {
        skipped.add(reason, named(place), count);
    }

    /** Counts an entry that is imported in another way than the file has it. */
    void change(String what, String place) {
        changed.add(what, named(place));
    }

    /** Notes where a file that is cut or damaged ends, {@code place} may be null; it is imported up to there. */
    void damaged(String what, String place) {
        changed.add(
                what + "; imported as far as it can be read", path.getFileName() + (place == null ? "" : " " + place));
    }

    private String named(String place) {
        return place == null || !oneOfMany ? place : path.getFileName() + " " + place;
    }

    /** The content, unpacked when it is gzip. Where it was opened to tell the format, it is that stream. */
    InputStream open() throws IOException {
        return opened != null ? opened : open(path);
    }

    /** Opens a file, a pipe, or standard input, whose path is a hyphen; unpacked when it is gzip. */
    static InputStream open(Path path) throws IOException {
        if (isStandardInput(path)) {
            return GzipInput.unpacked(new FileInputStream(FileDescriptor.in));
        }
        if (Files.isDirectory(path)) {
            throw new ConversionException(path, "is a directory; expected a file to import");
        }
        try {
            return GzipInput.open(path);
        } catch (NoSuchFileException e) {
            throw new ConversionException(path, "no such file", e);
        }
    }

    /**
     * The first bytes of a stream with marks; they stay to be read. Damage that follows is told when it is reached.
     *
     * @throws DamagedGzipException when there is no byte before the damage
     */
    static byte[] head(InputStream in, int most) throws IOException {
        in.mark(most);
        byte[] head = new byte[most];
        int length = 0;
        try {
            for (int count = 0; count >= 0 && length < most; length += Math.max(0, count)) {
                count = in.read(head, length, most - length);
            }
        } catch (DamagedGzipException e) {
            if (length == 0) {
                throw e;
            }
        }
        in.reset();
        return Arrays.copyOf(head, length);
    }

    /** Whether a file's bytes can be read only once: a pipe, a terminal, standard input. */
    static boolean isReadOnce(Path path) {
        return isStandardInput(path) || Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
    }

    private static boolean isStandardInput(Path path) {
        return path.toString().equals("-");
    }
}
