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
 * An exported file. Only its owner may read it. It is deleted unless it was completed, so that nobody takes a part for
 * the whole; a file that it replaces stays until then. Used by one thread, which closes it.
 */
final class ExportFile implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final Path path;
    private final OutputStream out;
    /** What is replaced once this is complete, or null. */
    private final Path replaced;

    private boolean complete;

    private ExportFile(Path path, OutputStream out, Path replaced) {
        this.path = path;
        this.out = out;
        this.replaced = replaced;
    }

    /** @param overwrite whether an existing file is replaced */
    static ExportFile create(Path path, boolean overwrite) throws IOException {
        // Replaced by a new file, not written into: whoever may read the old file could read the new one.
        Path target = path;
        Path replaced = null;
        if (Files.exists(path)) {
            if (!overwrite) {
                throw new FileAlreadyExistsException(path.toString());
            }
            if (!Files.isRegularFile(path)) {
                throw new ConversionException(path, "exists and is not a regular file; give another path");
            }
            replaced = path.toRealPath();
            target = replaced.resolveSibling("." + replaced.getFileName() + "." + UUID.randomUUID() + ".tmp");
        }
        return new ExportFile(
                target,
                new BufferedOutputStream(
                        Channels.newOutputStream(Files.newByteChannel(
                                target,
                                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))),
                        BUFFER_BYTES),
                replaced);
    }

    OutputStream stream() {
        return out;
    }

    /** Writes the buffered bytes, and keeps the file. */
    void complete() throws IOException {
        out.close();
        if (replaced != null) {
            Files.move(path, replaced, StandardCopyOption.ATOMIC_MOVE);
        }
        complete = true;
    }

    @Override
    public void close() {
        if (!complete) {
            try {
                Files.deleteIfExists(path);
                out.close();
            } catch (IOException e) {
                // The first failure is the one to tell.
            }
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
