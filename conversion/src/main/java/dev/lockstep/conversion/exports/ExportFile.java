package dev.lockstep.conversion.exports;

import dev.lockstep.conversion.ConversionException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;

/**
 * An exported file. Only its owner may read it. Until it is completed it stands beside its place under another name,
 * and is deleted unless it was, so that nobody takes a part for the whole; a file that it replaces stays until then.
 * Used by one thread, which closes it.
 */
final class ExportFile implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;

    /** Where it is until it is complete. */
    private final Path temporary;

    private final OutputStream out;
    private final Path place;
    private final boolean overwrite;

    private ExportFile(Path temporary, OutputStream out, Path place, boolean overwrite) {
        this.temporary = temporary;
        this.out = out;
        this.place = place;
        this.overwrite = overwrite;
    }

    /** @param overwrite whether an existing file is replaced */
    static ExportFile create(Path path, boolean overwrite) throws IOException {
        // Replaced by a new file, not written into: whoever may read the old file could read the new one.
        Path place = path;
        if (Files.exists(path)) {
            if (!overwrite) {
                throw new FileAlreadyExistsException(path.toString());
            }
            if (!Files.isRegularFile(path)) {
                throw new ConversionException(path, "exists and is not a regular file; give another path");
            }
            place = path.toRealPath();
        }
        Path temporary = place.resolveSibling("." + place.getFileName() + "." + UUID.randomUUID() + ".tmp");
        return new ExportFile(
                temporary,
                new BufferedOutputStream(
                        Channels.newOutputStream(Files.newByteChannel(
                                temporary,
                                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))),
                        BUFFER_BYTES),
                place,
                overwrite);
    }

    OutputStream stream() {
        return out;
    }

    /**
     * Writes the buffered bytes, and puts the file in its place.
     *
     * @throws FileAlreadyExistsException where another has come there meanwhile and is not to be replaced
     */
    void complete() throws IOException {
        out.close();
        if (overwrite) {
            Files.move(temporary, place, StandardCopyOption.ATOMIC_MOVE);
        } else {
            Files.move(temporary, place);
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(temporary);
            out.close();
        } catch (IOException e) {
            // The first failure is the one to tell.
        }
    }

    /** An exception that says why the file cannot be written. */
    static ConversionException unwritable(Path path, IOException e) {
        if (e instanceof FileAlreadyExistsException) {
            return new ConversionException(path, "the file exists; --force replaces it", e);
        }
        if (e instanceof NoSuchFileException) {
            return new ConversionException(path, "cannot be written: its directory does not exist", e);
        }
        return ConversionException.because(path, "cannot be written", e);
    }
}
