package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListeningPortTest {
    @Test
    void readsTheSocketsThatListen() {
        List<String> table = List.of(
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
                "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1681 1 0 100",
                "   1: 0100007F:1F90 0100007F:91BF 01 00000000:00000000 00:00000000 00000000     0        0 1682 1 0 20",
                "   2: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A"
                        + " 00000000:00000000 00:00000000 00000000  1000        0 1683 1 0 100",
                "   3: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1684 1 0 100",
                "");

        assertEquals(Set.of("socket:[1681]", "socket:[1683]"), ListeningPort.sockets(table, 8080));
        assertEquals(Set.of(), ListeningPort.sockets(table, 80));
    }

    /** Root in a container may list the descriptors of another user, and not read them. */
    @Test
    void canNotTellWhereADescriptorIsNotReadable(@TempDir Path folder) throws Exception {
        Set<String> sockets = Set.of("socket:[1681]");
        Files.createSymbolicLink(folder.resolve("3"), Path.of("socket:[1682]"));
        assertFalse(ListeningPort.mayHaveOneOf(sockets, folder));
        assertFalse(ListeningPort.mayHaveOneOf(sockets, folder.resolve("gone")));

        // What is no link cannot be read as one.
        Files.createFile(folder.resolve("4"));
        assertTrue(ListeningPort.mayHaveOneOf(sockets, folder));
    }

    @Test
    void knowsWhoListens() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/net/tcp")), "no such table here");
        long own = ProcessHandle.current().pid();
        Process other = new ProcessBuilder("sleep", "600").start();
        int port;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
            assertTrue(ListeningPort.mayBeOf(List.of(other.pid(), own), port));
            assertFalse(ListeningPort.mayBeOf(List.of(other.pid()), port));
        } finally {
            other.destroyForcibly().waitFor();
        }
        assertTrue(ListeningPort.mayBeOf(List.of(own), port), "nobody listens, so that nobody can tell");
    }
}
