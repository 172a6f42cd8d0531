package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds out whose port it is, by the kernel's tables of sockets, see proc(5). Stateless; any thread. */
final class ListeningPort {
    /** Fields of {@code /proc/net/tcp}. */
    private static final int LOCAL_ADDRESS = 1;

    private static final int STATE = 3;
    private static final int INODE = 9;
    private static final String LISTENING = "0A";

    private ListeningPort() {}

    /** Whether one of these processes listens at a port; true too where nobody can tell. */
    static boolean mayBeOf(Collection<Long> pids, int port) {
        List<String> table = new ArrayList<>();
        for (String file : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            try {
                table.addAll(KernelFile.readLines(Path.of(file)));
            } catch (IOException e) {
                // A kernel without IPv6, or without such tables.
            }
        }
        Set<String> sockets = sockets(table, port);
        return sockets.isEmpty()
                || pids.stream().anyMatch(pid -> mayHaveOneOf(sockets, Path.of("/proc/" + pid + "/fd")));
    }

    /** Returns the sockets that listen at a port, as the descriptors of a process name them. */
    static Set<String> sockets(List<String> table, int port) {
        String ending = String.format(":%04X", port);
        Set<String> sockets = new HashSet<>();
        for (String line : table) {
            String[] fields = line.trim().split("\\s+");
            if (fields.length > INODE && fields[STATE].equals(LISTENING) && fields[LOCAL_ADDRESS].endsWith(ending)) {
                sockets.add("socket:[" + fields[INODE] + "]");
            }
        }
        return sockets;
    }

    /** @param folder of the descriptors of a process */
    static boolean mayHaveOneOf(Set<String> sockets, Path folder) {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(folder)) {
            for (Path descriptor : descriptors) {
                if (sockets.contains(target(descriptor))) {
                    return true;
                }
            }
            return false;
        } catch (NoSuchFileException e) {
            // It has ended.
            return false;
        } catch (IOException | DirectoryIteratorException e) {
            // Another user's, or a program with privileges of its own. In a container, root may list and not read them.
            return true;
        }
    }

    private static String target(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (NoSuchFileException e) {
            // It was closed meanwhile.
            return "";
        }
    }
}
