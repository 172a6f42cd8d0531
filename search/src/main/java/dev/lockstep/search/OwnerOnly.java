package dev.lockstep.search;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Files and folders that only their owner reads, where the file system can tell owners apart. */
final class OwnerOnly {
    private OwnerOnly() {}

    /** Returns with what to make a file. */
    static FileAttribute<?>[] file(Path path) {
        return attributes(path, "rw-------");
    }

    private static FileAttribute<?>[] attributes(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /** Makes a folder and those above it; one that is there stays as it is. */
    static void makeFolder(Path folder) throws IOException {
        Files.createDirectories(folder, attributes(folder, "rwx------"));
    }

    /** Makes an empty file; one that is there stays as it is. */
    static void makeFile(Path path) throws IOException {
        try {
            Files.createFile(path, file(path));
        } catch (FileAlreadyExistsException e) {
            // Then it is its owner's matter.
        }
    }
}
