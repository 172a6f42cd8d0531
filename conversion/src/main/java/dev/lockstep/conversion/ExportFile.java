package dev.lockstep.conversion;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A file that is exported to: only its owner may read it, and it is deleted unless it was completed, so that a part is
 * not taken for the whole. Used by one thread, which closes it.
 */
final class ExportFile implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final Path path;
    private final OutputStream out;
    private boolean complete;

    private ExportFile(Path path, OutputStream out) {
        this.path = path;
        this.out = out;
    }

    /**
     * Creates the file.
     *
     * @param overwrite whether a file is replaced that exists
     */
    static ExportFile create(Path path, boolean overwrite) throws IOException {
        // Deleted and not cut, because what others may read of the old file they could read of the new one.
        Path target = path;
        if (Files.exists(path)) {
            if (!overwrite) {
                throw new FileAlreadyExistsException(path.toString());
            }
            target = path.toRealPath();
            if (!Files.isRegularFile(target)) {
                throw new ConversionException(path, "exists and is not a regular file; give another path");
            }
            Files.delete(target);
        }
        return new ExportFile(
                target,
                new BufferedOutputStream(
                        Channels.newOutputStream(Files.newByteChannel(
                                target,
                                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))),
                        BUFFER_BYTES));
    }

    OutputStream stream() {
        return out;
    }

    /** Writes what is buffered, and keeps the file. */
    void complete() throws IOException {
        out.close();
        complete = true;
    }

    @Override
    public void close() {
        if (!complete) {
            try {
                Files.deleteIfExists(path);
                out.close();
            } catch (IOException e) {
                // What went wrong first is the one to tell.
            }
        }
    }

    /** Returns what went wrong, for people. */
    static ConversionException unwritable(Path path, IOException e) {
        if (e instanceof FileAlreadyExistsException) {
            return new ConversionException(path, "the file exists; --force replaces it", e);
        }
        return new ConversionException(
                path,
                "cannot be written: " + (e instanceof NoSuchFileException ? "its directory does not exist" : reason(e)),
                e);
    }

    /** Returns the operating system's words without the path that Java puts before them. */
    static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileSystemException && ((FileSystemException) e).getReason() != null) {
            return ((FileSystemException) e).getReason();
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
