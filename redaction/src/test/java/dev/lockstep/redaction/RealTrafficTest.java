package dev.lockstep.redaction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.packets.PacketFile;
import dev.lockstep.packets.StreamHandler;
import dev.lockstep.packets.TcpEnd;
import dev.lockstep.packets.TcpOptions;
import dev.lockstep.packets.TcpReassembler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RealTrafficTest {
    /** A connection of a capture on its way through the redactor. */
    private static final class Connection implements StreamHandler {
        private final ByteArrayOutputStream in = new ByteArrayOutputStream();
        private final TestingStream stream;

        private Connection(RedactionPolicy policy, boolean alreadyOpen) {
            stream = new TestingStream(policy, null, alreadyOpen);
        }

        @Override
        public void clientBytes(long timeNs, ByteBuf bytes, int from, int to) {
            byte[] piece = ByteBufUtil.getBytes(bytes, from, to - from);
            in.writeBytes(piece);
            stream.feed(piece, 0, piece.length);
        }

        @Override
        public void serverBytes(long timeNs, ByteBuf bytes, int from, int to) {
            stream.answer(ByteBufUtil.getBytes(bytes, from, to - from));
        }

        @Override
        public void clientMissing(long timeNs, long bytes) {
            stream.missing(bytes);
        }

        @Override
        public void serverMissing(long timeNs, long bytes) {}

        @Override
        public void clientEnded(long timeNs) {}

        @Override
        public void serverEnded(long timeNs) {}

        @Override
        public void closed(long timeNs, TcpEnd end) {
            stream.end();
            stream.close();
        }
    }

    private static List<Connection> replay(Path capture, RedactionPolicy policy) {
        List<Connection> connections = new ArrayList<>();
        try (PacketFile file = PacketFile.open(capture)) {
            TcpReassembler reassembler =
                    new TcpReassembler(TcpOptions.defaults(), (timeNs, client, server, alreadyOpen) -> {
                        Connection connection = new Connection(policy, alreadyOpen);
                        connections.add(connection);
                        return connection;
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

    private static List<Path> captures() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(System.getProperty("lockstep.testData")))) {
            return files.filter(file -> file.toString().matches(".*/pcap-[^/]+/.*\\.pcap(ng)?(\\.gz)?"))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    /** The list is kept beside this test: what the default rules find in traffic that nobody made for them. */
    @Test
    void replacesWhatTheListSaysAndKeepsAllElse() throws IOException {
        StringBuilder found = new StringBuilder();
        for (Path capture : captures()) {
            String name = capture.getParent().getParent().getFileName() + "/"
                    + capture.getParent().getFileName() + "/" + capture.getFileName();
            RedactionPolicy policy = RedactionPolicy.defaults(TestingStream.KEY);
            long replaced = 0;
            for (Connection connection : replay(capture, policy)) {
                byte[] in = connection.in.toByteArray();
                byte[] out = connection.stream.out.toByteArray();
                assertEquals(in.length, out.length, name);
                assertEquals(connection.stream.marksIn, connection.stream.marksOut, name);
                long differing = 0;
                for (int i = 0; i < in.length; i++) {
                    differing += in[i] == out[i] ? 0 : 1;
                }
                replaced += differing;
            }
            RedactionCounts counts = policy.counts();
            assertEquals(replaced == 0, counts.total() + counts.overwrittenBytes() == 0, name);
            if (counts.total() != 0) {
                found.append(name)
                        .append(": ")
                        .append(counts.summary().split(";")[0])
                        .append('\n');
            }
        }
        try (InputStream list = getClass().getResourceAsStream("/real-traffic.txt")) {
            assertEquals(new String(list.readAllBytes(), StandardCharsets.UTF_8), found.toString());
        }
    }
}
