package dev.lockstep.cli.replay;

import dev.lockstep.cli.command.CliException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Writes a report to a file that the user named: whole or not at all, readable by its owner only, as runs are. */
final class ReportFile {
    private ReportFile() {}

    /** @throws CliException where it cannot be written; a file that was there is kept then */
    static void write(Path file, String text) {
        try {
            if (Files.exists(file) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                // A pipe, a device, a link: what it leads to is written, and stays what it is.
                Files.writeString(file, text, StandardCharsets.UTF_8);
                return;
            }
            Path folder = file.toAbsolutePath().getParent();
            Path temporary = Files.createTempFile(
                    folder,
                    ".",
                    ".tmp",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            try {
                Files.writeString(temporary, text, StandardCharsets.UTF_8);
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            String reason = Files.isDirectory(file)
                    ? "it is a directory"
                    : e instanceof FileSystemException && ((FileSystemException) e).getReason() != null
                            ? ((FileSystemException) e).getReason()
                            : "no file can be made there";
            throw new CliException(file + ": the report cannot be written: " + reason);
        }
    }
}
