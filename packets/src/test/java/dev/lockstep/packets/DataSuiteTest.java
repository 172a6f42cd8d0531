package dev.lockstep.packets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the streams of every packet capture in the test data with those that another reassembler found, the script
 * that counted the data. Its table is streams.tsv, one row per connection with bytes: holes are zeros in it, but for
 * those at the end of a stream and those above 1 MiB, which are left out. Where the two differ, the row of the script
 * stands with the reason in streams-differences.tsv.
 */
class DataSuiteTest {
    private static final Path DATA = Path.of(System.getProperty("lockstep.testData"));

    @Test
    void givesTheStreamsThatAnotherReassemblerFoundInEveryCapture() throws IOException {
        Map<String, List<String>> expected = table("streams.tsv", 7);
        Map<String, List<String>> differences = table("streams-differences.tsv", 4);
        TreeSet<String> listed = new TreeSet<>();
        differences.forEach(
                (file, rows) -> rows.forEach(row -> listed.add(file + "\t" + row.substring(0, row.lastIndexOf('\t')))));
        TreeSet<String> found = new TreeSet<>();
        List<String> problems = new ArrayList<>();
        List<Path> files = captures();
        assertEquals(453, files.size());
        for (Path file : files) {
            String name = DATA.relativize(file).toString();
            List<String> ours = streams(file);
            List<String> theirs = new ArrayList<>(expected.getOrDefault(name, List.of()));
            for (String row : List.copyOf(ours)) {
                if (theirs.remove(row)) {
                    ours.remove(row);
                }
            }
            for (String row : theirs) {
                String[] cells = row.split("\t");
                found.add(name + "\t" + cells[0] + "\t" + cells[1]);
            }
            if (!ours.isEmpty() || !theirs.isEmpty()) {
                problems.add(name + "\n    ours   " + String.join("\n           ", ours) + "\n    theirs "
                        + String.join("\n           ", theirs));
            }
        }
        assertEquals(listed, found, () -> String.join("\n", problems));
    }

    private static List<Path> captures() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String folder : List.of("pcap-h2", "pcap-http", "pcap-thrift")) {
            try (Stream<Path> all = Files.walk(DATA.resolve(folder))) {
                all.filter(Files::isRegularFile).sorted().forEach(files::add);
            }
        }
        return files;
    }

    private static List<String> streams(Path path) {
        List<StreamBytes> connections = new ArrayList<>();
        TcpReassembler reassembler =
                new TcpReassembler(TcpOptions.defaults(), (timeNs, client, server, alreadyOpen) -> {
                    StreamBytes connection = new StreamBytes(timeNs, client, server, alreadyOpen);
                    connections.add(connection);
                    return connection;
                });
        try (PacketFile file = PacketFile.open(path)) {
            while (file.next()) {
                assertTrue(file.linkLayer() != null, () -> path + ": link type " + file.linkType());
                reassembler.packet(
                        file.timeNs(), file.linkLayer(), file.bytes(), file.from(), file.to(), file.originalLength());
            }
        }
        reassembler.end();
        return connections.stream()
                .filter(connection -> connection.client.bytes().length + connection.server.bytes().length > 0)
                .map(DataSuiteTest::row)
                .collect(Collectors.toList());
    }

    private static String row(StreamBytes connection) {
        return String.join(
                "\t",
                address(connection.clientAddress),
                address(connection.serverAddress),
                Integer.toString(connection.client.bytes().length),
                sha256(connection.client.bytes()),
                Integer.toString(connection.server.bytes().length),
                sha256(connection.server.bytes()));
    }

    /** Writes an address as the table has it: IPv6 with its longest run of zeros left out. */
    private static String address(InetSocketAddress socket) {
        String text = socket.getAddress().getHostAddress();
        if (socket.getAddress() instanceof Inet6Address) {
            String shortest = text;
            for (int zeros = 8; zeros >= 2 && shortest.equals(text); zeros--) {
                String run = "0" + ":0".repeat(zeros - 1);
                shortest = (":" + text + ":").replaceFirst(":" + run + ":", "::");
                shortest = shortest.replaceFirst("^:([^:])", "$1").replaceFirst("([^:]):$", "$1");
            }
            text = "[" + shortest + "]";
        }
        return text + ":" + socket.getPort();
    }

    private static String sha256(byte[] bytes) {
        try {
            StringBuilder hex = new StringBuilder();
            for (byte b : MessageDigest.getInstance("SHA-256").digest(bytes)) {
                hex.append(String.format("%02x", b));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Reads a table without its heading: rows without their first cell, by that cell. */
    private static Map<String, List<String>> table(String resource, int columns) {
        Map<String, List<String>> rows = new TreeMap<>();
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(DataSuiteTest.class.getResourceAsStream(resource), StandardCharsets.UTF_8))) {
            lines.readLine();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                assertEquals(columns, line.split("\t", -1).length, line);
                int tab = line.indexOf('\t');
                rows.computeIfAbsent(line.substring(0, tab), file -> new ArrayList<>())
                        .add(line.substring(tab + 1));
            }
            return rows;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
