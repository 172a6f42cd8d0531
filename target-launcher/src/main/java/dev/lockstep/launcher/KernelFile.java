package dev.lockstep.launcher;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Reads files of the kernel's own file systems. These have no size, and some (in {@code /proc/sys}) give their content
 * to the first read only: {@link Files#readString} would read one byte and miss the rest.
 */
final class KernelFile {
    private static final int FIRST_READ_BYTES = 16 * 1024;

    private KernelFile() {}

    static String read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] buffer = new byte[FIRST_READ_BYTES];
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                content.write(buffer, 0, n);
            }
            return content.toString(StandardCharsets.UTF_8);
        }
    }

    /** Returns the fields of {@code stat} from the third on, the state, of the process or thread with this folder. */
    static String[] readStat(Path task) throws IOException {
        String stat = read(task.resolve("stat"));
        // The second field is the command in parentheses and may contain blanks and parentheses itself.
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    }

    static List<String> readLines(Path file) throws IOException {
        return read(file).lines().collect(Collectors.toList());
    }
}
