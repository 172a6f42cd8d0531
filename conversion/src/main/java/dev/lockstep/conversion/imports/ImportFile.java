package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.Findings;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** A file to import, with the counts of what is found in it. Used by one thread. */
final class ImportFile {
    private static final int BUFFER_BYTES = 64 << 10;

    final Path path;
    final ImportConfig config;
    private final Findings skipped;
    private final Findings changed;
    private final boolean oneOfMany;

    ImportFile(Path path, ImportConfig config, Findings skipped, Findings changed, boolean oneOfMany) {
        this.path = path;
        this.config = config;
        this.skipped = skipped;
        this.changed = changed;
        this.oneOfMany = oneOfMany;
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

    private String named(String place) {
        return place == null || !oneOfMany ? place : path.getFileName() + " " + place;
    }

    /** Opens the file, unpacked when it is gzip. */
    InputStream open() throws IOException {
        if (Files.isDirectory(path)) {
            throw new ConversionException(path, "is a directory; expected a file to import");
        }
        try {
            return unpacked(Files.newInputStream(path));
        } catch (NoSuchFileException e) {
            throw new ConversionException(path, "no such file", e);
        }
    }

    /** Unpacks a stream when it is gzip. Closes it when that fails. */
    static InputStream unpacked(InputStream file) throws IOException {
        try {
            PushbackInputStream raw = new PushbackInputStream(file, 2);
            byte[] magic = raw.readNBytes(2);
            raw.unread(magic);
            boolean gzip = magic.length == 2 && (magic[0] & 0xFF) == 0x1F && (magic[1] & 0xFF) == 0x8B;
            return new BufferedInputStream(gzip ? new GZIPInputStream(raw, BUFFER_BYTES) : raw, BUFFER_BYTES);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }
}
