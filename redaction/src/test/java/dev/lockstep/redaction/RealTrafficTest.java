package dev.lockstep.redaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.capture.Protocol;
import dev.lockstep.packets.PacketFile;
import dev.lockstep.packets.StreamHandler;
import dev.lockstep.packets.TcpEnd;
import dev.lockstep.packets.TcpOptions;
import dev.lockstep.packets.TcpReassembler;
import dev.lockstep.protocol.RequestFacts;
import dev.lockstep.protocol.ThriftFacts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealTrafficTest {
    @TempDir
    private Path folder;

    /** A connection of a capture on its way through the redactor. */
    private static final class Connection implements StreamHandler {
        private final ByteArrayOutputStream in = new ByteArrayOutputStream();
        private final TestingStream stream;
        private final Random cuts;
        private boolean isWhole;

        /** @param cuts cuts the client's packets further, or null */
        private Connection(RedactionPolicy policy, boolean alreadyOpen, Random cuts) {
            stream = new TestingStream(policy, null, alreadyOpen);
            this.cuts = cuts;
            isWhole = !alreadyOpen;
        }

        @Override
        public void clientBytes(long timeNs, ByteBuf bytes, int from, int to) {
            byte[] piece = ByteBufUtil.getBytes(bytes, from, to - from);
            in.writeBytes(piece);
            for (int at = 0; at < piece.length; ) {
                int left = piece.length - at;
                int next = at + (cuts == null ? left : Math.min(left, 1 + cuts.nextInt(1 + cuts.nextInt(200))));
                stream.feed(piece, at, next);
                at = next;
            }
        }

        @Override
        public void serverBytes(long timeNs, ByteBuf bytes, int from, int to) {
            stream.answer(ByteBufUtil.getBytes(bytes, from, to - from));
        }

        @Override
        public void clientMissing(long timeNs, long bytes) {
            isWhole = false;
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

    private static List<Connection> replay(Path capture, RedactionPolicy policy, Random cuts) {
        List<Connection> connections = new ArrayList<>();
        try (PacketFile file = PacketFile.open(capture)) {
            TcpReassembler reassembler =
                    new TcpReassembler(TcpOptions.defaults(), (timeNs, client, server, alreadyOpen) -> {
                        Connection connection = new Connection(policy, alreadyOpen, cuts);
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
            String name = name(capture);
            RedactionPolicy policy = RedactionPolicy.defaults(TestingStream.KEY).unsearchable(Unsearchable.KEEP);
            long replaced = 0;
            for (Connection connection : replay(capture, policy, null)) {
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

    private static String name(Path capture) {
        return capture.getParent().getParent().getFileName() + "/"
                + capture.getParent().getFileName() + "/" + capture.getFileName();
    }

    /**
     * The list is kept beside this test: for each capture a digest of where requests begin and end, of their facts and
     * of the redacted bytes. It was written by the parsers that the present ones replaced. Where it differs and should,
     * the new list is under target. With packets that are cut further it is the same.
     */
    @Test
    @Tag("full")
    void framesAndRedactsAsTheListSaysWhereverThePacketsAreCut() throws IOException, NoSuchAlgorithmException {
        long seed = new Random().nextLong();
        Random cuts = new Random(seed);
        StringBuilder found = new StringBuilder();
        for (Path capture : captures()) {
            RedactionPolicy policy = policyWithThrift();
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            List<Connection> whole = replay(capture, policy, null);
            for (Connection connection : whole) {
                digest.update(TestingStream.latin(connection.stream.marksIn + facts(connection)));
                digest.update(connection.stream.out.toByteArray());
            }
            digest.update(TestingStream.latin(policy.counts().summary()));
            found.append(name(capture)).append(' ');
            for (byte b : Arrays.copyOf(digest.digest(), 8)) {
                found.append(String.format("%02x", b));
            }
            found.append('\n');
            assertSame(whole, replay(capture, policy, cuts), name(capture) + ", seed " + seed);
        }
        Files.writeString(Path.of("target", "real-traffic-digests.txt"), found);
        try (InputStream list = getClass().getResourceAsStream("/real-traffic-digests.txt")) {
            assertEquals(new String(list.readAllBytes(), StandardCharsets.UTF_8), found.toString());
        }
    }

    /** Connections with holes are left out: there a request is looked for where a packet begins. */
    private static void assertSame(List<Connection> whole, List<Connection> cut, String where) {
        for (int i = 0; i < whole.size(); i++) {
            TestingStream one = whole.get(i).stream;
            TestingStream other = cut.get(i).stream;
            // Where no requests are seen, what a read is taken for depends on where it begins.
            if (whole.get(i).isWhole && !one.isOpaque()) {
                String place = where + ", connection " + i;
                assertEquals(ends(one), ends(other), place);
                assertArrayEquals(one.out.toByteArray(), other.out.toByteArray(), place);
            }
        }
    }

    /** Where a request begins may differ: mux's control frames belong to it when they are told in pieces. */
    private static List<String> ends(TestingStream stream) {
        return stream.marksOut.stream().filter(mark -> mark.startsWith("end")).collect(Collectors.toList());
    }

    private RedactionPolicy policyWithThrift() throws IOException {
        Path rules = folder.resolve("rules.yaml");
        Files.writeString(
                rules,
                "thrift:\n  '*Test*': [1, 2.1]\n  add: [1]\n  calculate: [2.2]\n  '*all': [1, 2]\n  get*: [1]\n");
        return RedactionPolicy.load(rules, TestingStream.KEY).unsearchable(Unsearchable.KEEP);
    }

    /** What the bytes between a begin and an end say, read as HTTP/1 and as Thrift. */
    private static String facts(Connection connection) {
        StringBuilder text = new StringBuilder();
        byte[] in = connection.in.toByteArray();
        int begin = -1;
        for (String mark : connection.stream.marksIn) {
            int at = Integer.parseInt(mark.substring(mark.indexOf(' ') + 1));
            if (mark.startsWith("begin")) {
                begin = at;
            } else if (begin >= 0) {
                for (Protocol protocol : new Protocol[] {Protocol.HTTP1, Protocol.THRIFT_FRAMED_BINARY}) {
                    RequestFacts facts = RequestFacts.of(protocol, Unpooled.wrappedBuffer(in), begin, at);
                    ThriftFacts thrift = facts.thrift();
                    text.append(Arrays.asList(
                            facts.method(),
                            facts.target(),
                            facts.path(),
                            facts.host(),
                            facts.version(),
                            facts.headBytes(),
                            thrift == null ? "" : thrift.name() + thrift.type() + thrift.sequenceId()));
                }
            }
        }
        return text.toString();
    }
}
