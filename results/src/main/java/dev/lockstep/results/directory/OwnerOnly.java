package dev.lockstep.results.directory;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Files and folders that only their owner reads, where the file system can tell owners apart. */
public final class OwnerOnly {
    private OwnerOnly() {}

    /** Returns with what to make a file. */
    public static FileAttribute<?>[] file(Path path) {
        return attributes(path, "rw-------");
    }

    /** Returns with what to make a folder. */
    public static FileAttribute<?>[] folder(Path path) {
        return attributes(path, "rwx------");
    }

    private static FileAttribute<?>[] attributes(Path path, String mode) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
                : new FileAttribute<?>[0];
    }

    /**
     * Makes an empty file in place of one that is there.
     *
     * @throws IOException where it cannot be made
     */
    public static void makeEmpty(Path path) throws IOException {
        Files.deleteIfExists(path);
        Files.createFile(path, file(path));
    }

    /**
     * Writes a text into a new file, in UTF-8, in place of one that is there. The caller closes it.
     *
     * @throws IOException where it cannot be made
     */
    public static Writer writer(Path path) throws IOException {
        makeEmpty(path);
        return Files.newBufferedWriter(path, StandardCharsets.UTF_8);
    }
}
