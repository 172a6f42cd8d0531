package dev.lockstep.protocol;

import dev.lockstep.packets.PacketFile;
import dev.lockstep.packets.StreamHandler;
import dev.lockstep.packets.TcpEnd;
import dev.lockstep.packets.TcpOptions;
import dev.lockstep.packets.TcpReassembler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The connections of the real packet captures in the test data: what each side sent, in the order in which it came. */
final class TestingCaptures {
    /** What happened next on a connection. */
    static final class Event {
        final boolean ofClient;
        /** Null where bytes are missing. */
        final byte[] bytes;

        final long missing;

        Event(boolean ofClient, byte[] bytes, long missing) {
            this.ofClient = ofClient;
            this.bytes = bytes;
            this.missing = missing;
        }
    }

    /** A connection. */
    static final class Connection {
        final boolean alreadyOpen;
        final List<Event> events = new ArrayList<>();

        Connection(boolean alreadyOpen) {
            this.alreadyOpen = alreadyOpen;
        }

        boolean isWhole() {
            return !alreadyOpen && events.stream().allMatch(event -> event.bytes != null);
        }
    }

    private TestingCaptures() {}

    static Path folder() {
        return Path.of(System.getProperty("lockstep.testData"));
    }

    /** Returns the paths of all packet captures, relative to the test data's folder. */
    static List<String> captures() {
        try (Stream<Path> files = Files.walk(folder())) {
            return files.map(file -> folder().relativize(file).toString())
                    .filter(name -> name.matches("pcap-.*\\.pcap(ng)?(\\.gz)?"))
                    .sorted()
                    .collect(Collectors.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the manifest's lines by the file's path; each line's columns by their names. */
    static Map<String, Map<String, String>> manifest() {
        Map<String, Map<String, String>> manifest = new HashMap<>();
        try {
            List<String> lines = Files.readAllLines(folder().resolve("MANIFEST.tsv"));
            String[] names = lines.get(0).split("\t");
            for (String line : lines.subList(1, lines.size())) {
                String[] columns = line.split("\t", -1);
                Map<String, String> named = new HashMap<>();
                for (int i = 0; i < names.length; i++) {
                    named.put(names[i], columns[i]);
                }
                manifest.put(named.get("path"), named);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return manifest;
    }

    /** Returns the connections of a capture. */
    static List<Connection> connections(String capture) {
        List<Connection> connections = new ArrayList<>();
        try (PacketFile file = PacketFile.open(folder().resolve(capture))) {
            TcpReassembler reassembler =
                    new TcpReassembler(TcpOptions.defaults(), (timeNs, client, server, alreadyOpen) -> {
                        Connection connection = new Connection(alreadyOpen);
                        connections.add(connection);
                        return new Recorder(connection.events);
                    });
            while (file.next()) {
                if (file.linkLayer() != null) {
                    reassembler.packet(
                            file.timeNs(),
                            file.linkLayer(),
                            file.bytes(),
                            file.from(),
                            file.to(),
                            file.originalLength());
                }
            }
            reassembler.end();
        }
        return connections;
    }

    private static final class Recorder implements StreamHandler {
        private final List<Event> events;

        Recorder(List<Event> events) {
            this.events = events;
        }

        @Override
        public void clientBytes(long timeNs, ByteBuf bytes, int from, int to) {
            events.add(new Event(true, ByteBufUtil.getBytes(bytes, from, to - from), 0));
        }

        @Override
        public void serverBytes(long timeNs, ByteBuf bytes, int from, int to) {
            events.add(new Event(false, ByteBufUtil.getBytes(bytes, from, to - from), 0));
        }

        @Override
        public void clientMissing(long timeNs, long bytes) {
            events.add(new Event(true, null, bytes));
        }

        @Override
        public void serverMissing(long timeNs, long bytes) {
            events.add(new Event(false, null, bytes));
        }

        @Override
        public void clientEnded(long timeNs) {}

        @Override
        public void serverEnded(long timeNs) {}

        @Override
        public void closed(long timeNs, TcpEnd end) {}
    }
}
