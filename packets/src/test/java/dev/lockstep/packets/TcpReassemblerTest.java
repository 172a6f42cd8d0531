package dev.lockstep.packets;

import static dev.lockstep.packets.TestingSegment.client;
import static dev.lockstep.packets.TestingSegment.server;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TcpReassemblerTest {
    private final TestingNetwork network = new TestingNetwork();

    @Test
    void handsOnBothStreamsInOrderWithTheTimesOfTheirPackets() {
        network.connect();
        assertEquals(4_000, network.only().openedNs);
        network.send(
                client().sequence(101).ack(501).text("hello"),
                server().sequence(501).ack(106).text("welcome"),
                client().sequence(106).ack(508).text("!"));
        StreamBytes connection = network.only();
        assertEquals(7_000, connection.lastNs);
        assertEquals("hello!", connection.client.text());
        assertEquals("welcome", connection.server.text());
        assertEquals("csc", connection.calls.toString());
        assertFalse(connection.alreadyOpen);
        assertEquals(TestingSegment.CLIENT, connection.clientAddress);
        assertEquals(TestingSegment.SERVER, connection.serverAddress);
        network.end();
        assertEquals(TcpEnd.PACKETS_ENDED, connection.end);
        assertEquals(6, network.totals().clientBytes);
        assertEquals(7, network.totals().serverBytes);
        assertEquals(1, network.totals().connections);
    }

    @Test
    void opensNoConnectionForHandshakesThatLeadToNone() {
        network.send(
                client().syn(100), client().syn(100), server().sequence(0).rst().ack(101));
        network.end();
        assertEquals(List.of(), network.connections);
        assertEquals(1, network.totals().unopenedConnections());
    }

    @Test
    void takesASynAgainAfterItWasRefused() {
        network.send(client().syn(100), server().sequence(0).rst().ack(101));
        network.connect().send(client().sequence(101).ack(501).text("at last"));
        assertEquals("at last", network.only().client.text());
    }

    @Test
    void takesBytesInTheSyn() {
        network.send(
                client().syn(100).text("early"),
                server().syn(500).ack(106),
                client().sequence(106).ack(501).text(" bird"));
        assertEquals("early bird", network.only().client.text());
        assertFalse(network.only().alreadyOpen);
    }

    @Test
    void bringsSegmentsIntoOrder() {
        network.connect()
                .send(
                        client().sequence(104).ack(501).text("d"),
                        client().sequence(103).ack(501).text("c"),
                        client().sequence(102).ack(501).text("b"));
        assertEquals("", network.only().client.text());
        network.send(client().sequence(101).ack(501).text("a"));
        assertEquals("abcd", network.only().client.text());
        assertEquals(network.timeNs, network.only().lastNs);
        assertEquals(3, network.totals().earlyPackets);
        assertEquals(0, network.totals().clientGaps);
    }

    @Test
    void leavesOutWhatComesAgain() {
        network.connect()
                .send(
                        client().sequence(101).ack(501).text("abcd"),
                        client().sequence(101).ack(501).text("abcd"),
                        client().sequence(103).ack(501).text("CDef"),
                        client().sequence(101).ack(501).text("XXXXXXg"));
        assertEquals("abcdefg", network.only().client.text());
        assertEquals(4 + 2 + 6, network.totals().repeatedBytes);
    }

    @Test
    void takesTheLongerOfTwoSegmentsThatWaitAndTheEarlierWhereTheyOverlap() {
        network.connect()
                .send(
                        client().sequence(103).ack(501).text("cd"),
                        client().sequence(103).ack(501).text("cde"),
                        client().sequence(104).ack(501).text("DEf"),
                        client().sequence(101).ack(501).text("abC"));
        assertEquals("abCdef", network.only().client.text());
    }

    @Test
    void followsSequenceNumbersThatWrap() {
        network.send(
                client().syn(-3),
                server().syn(-1).ack(-2),
                client().sequence(-2).ack(0).text("ab"),
                client().sequence(2).ack(0).text("ef"),
                client().sequence(0).ack(0).text("cd"),
                server().sequence(0).ack(4).text("ok"));
        assertEquals("abcdef", network.only().client.text());
        assertEquals("ok", network.only().server.text());
    }

    @Test
    void passesOverKeepAliveProbes() {
        network.connect()
                .send(
                        client().sequence(101).ack(501).text("a"),
                        client().sequence(101).ack(501),
                        client().sequence(101).ack(501).text("x"),
                        client().sequence(102).ack(501).text("b"));
        assertEquals("ab", network.only().client.text());
    }

    @Test
    void beginsANewConnectionWhereAPortIsUsedAgain() {
        network.connect()
                .send(
                        client().sequence(101).ack(501).text("first"),
                        client().syn(100), // came late
                        client().syn(9_000),
                        server().syn(7_000).ack(9_001),
                        client().sequence(9_001).ack(7_001).text("second"));
        assertEquals(2, network.connections.size());
        assertEquals("first", network.connections.get(0).client.text());
        assertEquals(TcpEnd.REPLACED, network.connections.get(0).end);
        assertEquals("second", network.connections.get(1).client.text());
        assertNull(network.connections.get(1).end);
    }

    @Test
    void beginsANewConnectionAtTheAnswerToASynThatWasNotCaptured() {
        network.connect()
                .send(
                        client().sequence(101).ack(501).text("first"),
                        server().syn(500).ack(101), // came late
                        server().syn(7_000).ack(101), // another answer to the same SYN
                        server().syn(7_000).ack(9_001),
                        client().sequence(9_001).ack(7_001).text("second"));
        assertEquals(2, network.connections.size());
        assertEquals("first", network.connections.get(0).client.text());
        assertEquals(TcpEnd.REPLACED, network.connections.get(0).end);
        assertEquals("second", network.connections.get(1).client.text());
        assertFalse(network.connections.get(1).alreadyOpen);
    }

    @Test
    void closesAfterBothFinsAndSaysWhoWasFirst() {
        network.connect()
                .send(
                        client().sequence(101).ack(501).text("bye").fin(),
                        server().sequence(501).ack(105).text("good"));
        assertNull(network.only().end);
        network.send(
                server().sequence(505).ack(105).fin(), client().sequence(105).ack(506));
        assertEquals("cesEx", network.only().calls.toString());
        assertEquals(TcpEnd.CLIENT_FIN, network.only().end);
        network.send(client().sequence(101).ack(501).text("bye").fin());
        assertEquals(1, network.connections.size());
        assertEquals(3, network.totals().strayBytes());
    }

    @Test
    void endsAStreamOnlyAfterAllOfItsBytes() {
        network.connect()
                .send(
                        server().sequence(504).ack(101).fin(),
                        server().sequence(501).ack(101).text("abc"));
        assertEquals("sE", network.only().calls.toString());
        network.send(client().sequence(101).ack(505).fin());
        assertEquals(TcpEnd.SERVER_FIN, network.only().end);
    }

    @Test
    void closesAtAResetThatFits() {
        network.connect().send(client().sequence(101).ack(501).text("a"));
        network.send(
                client().sequence(-2_000_000_000).rst(), server().sequence(400).rst());
        assertNull(network.only().end);
        network.send(server().sequence(501).rst());
        assertEquals(TcpEnd.SERVER_RESET, network.only().end);
        network.send(client().sequence(102).ack(501).text("b"));
        assertEquals("a", network.only().client.text());
        assertEquals(1, network.totals().strayBytes());
    }

    @Test
    void declaresMissingWhatIsAcknowledgedAndDoesNotComeWithinTheGrace() {
        network.connect()
                .send(
                        client().sequence(101).ack(501).text("ab"),
                        client().sequence(106).ack(501).text("fg"),
                        server().sequence(501).ack(108).text("ok"));
        assertEquals("c", network.only().calls.toString());
        network.pause(49);
        assertEquals("c", network.only().calls.toString());
        network.pause(2);
        assertEquals("cCcs", network.only().calls.toString());
        assertEquals("ab\0\0\0fg", network.only().client.text());
        assertEquals(3, network.only().client.missing);
        assertEquals(1, network.totals().clientGaps);
        assertEquals(3, network.totals().clientMissingBytes());
    }

    @Test
    void givesNoMoreGraceOnceBytesWereLost() {
        network.connect().send(server().sequence(501).ack(104).text("1"));
        network.pause(60);
        assertEquals("Cs", network.only().calls.toString());
        network.send(server().sequence(502).ack(109).text("2"));
        assertEquals("CsCs", network.only().calls.toString());
        network.send(
                client().sequence(109).ack(503).text("here"),
                server().sequence(503).ack(115).text("3"));
        assertEquals("CsCsc", network.only().calls.toString());
        assertEquals(8, network.only().client.missing);
    }

    @Test
    void keepsAnAnswerBehindItsRequestWhereTheCaptureHasThemTheOtherWayRound() {
        network.connect()
                .send(
                        server().sequence(501).ack(108).text("HTTP/1.1 200 OK"),
                        client().sequence(101).ack(501).text("request"),
                        client().sequence(108).ack(516).text("next"));
        assertEquals("csc", network.only().calls.toString());
        assertEquals(0, network.totals().clientGaps);
    }

    @Test
    void letsStreamsGoOnThatWaitForEachOther() {
        network.connect()
                .send(
                        client().sequence(101).ack(502).text("a"),
                        server().sequence(501).ack(102).text("b"));
        assertEquals("", network.only().calls.toString());
        network.pause(51);
        assertEquals("a", network.only().client.text());
        assertEquals("b", network.only().server.text());
        assertEquals(0, network.totals().clientGaps + network.totals().serverGaps);
    }

    @Test
    void declaresMissingWhatNobodyAcknowledgesAfterTheLongTimeout() {
        network.connect().send(client().sequence(103).ack(501).text("c"));
        network.pause(9_990);
        assertEquals("", network.only().calls.toString());
        network.pause(20);
        assertEquals("\0\0c", network.only().client.text());
    }

    @Test
    void declaresMissingWhatTooManyBytesWaitFor() {
        TestingNetwork small = new TestingNetwork(
                TcpOptions.builder().connectionBufferBytes(64 << 10).build());
        small.connect();
        byte[] bytes = new byte[1_000];
        int sent = 0;
        for (; sent < 100 && small.totals().bufferOverflows == 0; sent++) {
            small.send(client().sequence(102 + sent * 1_000).ack(501).bytes(bytes));
        }
        assertTrue(sent > 50 && sent < 66, sent + " segments");
        assertEquals(1, small.only().client.missing);
        assertEquals(1 + sent * 1_000, small.only().client.bytes().length);
    }

    @Test
    void declaresMissingAtTheEndWhatNeverCame() {
        network.connect()
                .send(
                        client().sequence(103).ack(501).text("c"),
                        server().sequence(501).ack(104).text("d"),
                        server().sequence(507).ack(104).fin());
        network.end();
        assertEquals("\0\0c", network.only().client.text());
        assertEquals("d", network.only().server.text());
        assertEquals(5, network.only().server.missing);
        assertEquals("CcsSEx", network.only().calls.toString());
    }

    @Test
    void takesOneAcknowledgedByteThatNeverComesForAFin() {
        network.connect()
                .send(
                        client().sequence(101).ack(501).text("a"),
                        server().sequence(501).ack(103));
        network.pause(60).send(server().sequence(501).ack(103).text("b").fin()).end();
        assertEquals("csEx", network.only().calls.toString());
        assertEquals(0, network.totals().clientGaps);
    }

    @Test
    void ignoresAcknowledgementsFarBeyondWhatWasSent() {
        network.connect()
                .send(
                        server().sequence(501).ack(101 + (100 << 20)).text("x"),
                        client().sequence(101).ack(502).text("a"));
        network.pause(100).end();
        assertEquals("scx", network.only().calls.toString());
    }

    @Test
    void countsWhatTheSnapLengthCutOffAsMissing() {
        network.connect();
        network.cut(
                LinkLayer.RAW, client().sequence(101).ack(501).text("abcdef").ipv4(), 42);
        network.send(client().sequence(107).ack(501).text("g"));
        assertEquals("ab\0\0\0\0g", network.only().client.text());
        assertEquals(4, network.totals().clientMissingBytes());
        network.cut(LinkLayer.RAW, client().sequence(108).ack(501).text("hi").ipv4(), 40);
        network.cut(LinkLayer.RAW, client().sequence(110).ack(501).text("k").ipv4(), 39);
        assertEquals(6, network.only().client.missing);
        assertEquals(1, network.totals().unreadablePackets());
    }

    @Test
    void takesUpAConnectionInItsMiddle() {
        network.send(client().sequence(3_000).ack(9_000)); // says nothing yet
        assertEquals(List.of(), network.connections);
        network.send(
                client().sequence(3_000).ack(9_000).text("GET / HTTP/1.1\r\n\r\n"),
                server().sequence(9_000).ack(3_018).text("HTTP/1.1 200 OK\r\n"));
        assertTrue(network.only().alreadyOpen);
        assertEquals(TestingSegment.CLIENT, network.only().clientAddress);
        assertEquals(17, network.only().server.bytes().length);
    }

    @Test
    void tellsWhatIsMissingOfAServerOfWhichNoPacketIsSeen() {
        network.send(
                client().syn(100),
                client().sequence(101).ack(501),
                client().sequence(101).ack(501).text("one"),
                client().sequence(104).ack(601));
        network.pause(51);
        assertEquals("cS", network.only().calls.toString(), "it might have come late");
        network.send(
                client().sequence(104).ack(601).text("two"),
                client().sequence(107).ack(651).text("three"));
        assertEquals("cScSc", network.only().calls.toString());
        assertEquals("onetwothree", network.only().client.text());
        assertEquals(150, network.only().server.missing);
        assertEquals(2, network.totals().serverGaps);
    }

    @Test
    void tellsWhatIsMissingAtTheBeginningOfAServersStream() {
        network.send(
                client().syn(100),
                client().sequence(101).ack(501),
                client().sequence(101).ack(501).text("request"),
                server().sequence(511).ack(108).text("the end"),
                client().sequence(108).ack(518));
        assertEquals("c", network.only().calls.toString());
        network.pause(51);
        assertEquals("cSs", network.only().calls.toString());
        assertEquals("\0".repeat(10) + "the end", network.only().server.text());
    }

    @Test
    void waitsForAClientOfWhichOnlyTheAnswerIsSeenYet() {
        network.send(
                server().sequence(9_000).ack(3_000).text("HTTP/1.1 200 OK"),
                server().sequence(9_015).ack(3_007).text("HTTP/1.1 404 No"),
                client().sequence(3_000).ack(9_015).text("request"));
        assertEquals("scs", network.only().calls.toString());
        assertEquals("request", network.only().client.text());
        assertEquals(0, network.totals().clientGaps);
    }

    @Test
    void beginsAStreamAtItsFirstBytesWhereTheFirstAcknowledgementDoesNotFitThem() {
        network.send(
                client().sequence(3_000).ack(9_006).text("next"),
                server().sequence(9_000).ack(3_000).text("answer"), // came late
                server().sequence(9_006).ack(3_004).text(" two"));
        assertEquals("answer two", network.only().server.text());
        assertEquals(0, network.totals().serverGaps);

        TestingNetwork damaged = new TestingNetwork();
        damaged.send(
                client().sequence(3_000).ack(7).text("one"),
                server().sequence(1_000_000_000).ack(3_003).text("two"));
        assertEquals("two", damaged.only().server.text());
        assertEquals(0, damaged.totals().serverGaps);
    }

    @Test
    void knowsTheClientOfAConnectionInItsMiddle() {
        assertEquals(TestingSegment.CLIENT, clientOf(server().sequence(1).text("HTTP/1.1 200 OK\r\n")));
        assertEquals(TestingSegment.SERVER, clientOf(server().sequence(1).text("POST /a HTTP/1.1\r\n")));
        assertEquals(TestingSegment.SERVER, clientOf(server().sequence(1).text("\26\3\1\0\5\1")));
        assertEquals(TestingSegment.CLIENT, clientOf(server().sequence(1).text("\26\3\3\0\5\2")));
        assertEquals(TestingSegment.SERVER, clientOf(server().sequence(1).text("\0\0\0\20\200\1\0\1")));
        assertEquals(TestingSegment.CLIENT, clientOf(server().sequence(1).text("\200\1\0\2\0\0\0\4")));
        assertEquals(TestingSegment.SERVER, clientOf(server().sequence(1).text("\202\41\1\4name")));
        assertEquals(TestingSegment.CLIENT, clientOf(server().sequence(1).text("\0\0\0\20\202\101\1\4")));
        assertEquals(TestingSegment.CLIENT, clientOf(server().sequence(1).text("anything")));
        assertEquals(TestingSegment.CLIENT, clientOf(client().sequence(1).text("anything")));
        TestingNetwork told =
                new TestingNetwork(TcpOptions.builder().serverPorts(40000).build());
        told.send(client().sequence(1).text("POST /a HTTP/1.1\r\n"));
        assertEquals(TestingSegment.SERVER, told.only().clientAddress);
    }

    private static Object clientOf(TestingSegment first) {
        return new TestingNetwork().send(first).only().clientAddress;
    }

    @Test
    void knowsTheClientByTheAnswerToASynThatWasNotCaptured() {
        network.send(
                server().syn(500).ack(101),
                client().sequence(101).ack(501),
                client().sequence(103).ack(501).text("cd"),
                client().sequence(101).ack(501).text("ab"));
        assertEquals("abcd", network.only().client.text());
        assertFalse(network.only().alreadyOpen);
    }

    @Test
    void givesUpConnectionsThatAreIdleOrTooMany() {
        network.connect().send(client().sequence(101).ack(501).text("a"));
        network.pause(Duration.ofMinutes(10).toMillis() + 1);
        assertEquals(TcpEnd.TIMEOUT, network.only().end);
        TestingNetwork few =
                new TestingNetwork(TcpOptions.builder().maxConnections(3).build());
        for (int port = 1; port <= 9; port++) {
            few.send(TestingSegment.between(TestingSegment.address("10.0.0.9", port), TestingSegment.SERVER)
                    .sequence(1)
                    .text("GET / HTTP/1.1\r\n\r\n"));
        }
        assertEquals(9, few.connections.size());
        assertEquals(
                6,
                few.connections.stream()
                        .filter(connection -> connection.end != null)
                        .count());
        assertEquals(6, few.totals().evictedConnections);
    }

    /** The other FIN may be one of the packets that were missed. */
    @Test
    void givesUpConnectionsThatAreEndingBeforeOthers() {
        TestingNetwork day = new TestingNetwork(
                TcpOptions.builder().idleTimeout(Duration.ofDays(1)).build());
        day.connect().send(client().sequence(101).ack(501).text("a"));
        day.pause(Duration.ofMinutes(11).toMillis());
        assertNull(day.only().end);
        day.send(client().sequence(102).ack(501).fin());
        day.pause(Duration.ofMinutes(9).toMillis())
                .send(server().sequence(501).ack(103).text("b"));
        day.pause(Duration.ofMinutes(9).toMillis());
        assertNull(day.only().end);
        assertEquals("b", day.only().server.text());
        day.pause(Duration.ofMinutes(2).toMillis());
        assertEquals(TcpEnd.TIMEOUT, day.only().end);
    }

    @Test
    void followsManyConnectionsAtATime() {
        for (int turn = 0; turn < 2; turn++) {
            for (int port = 1; port <= 5_000; port++) {
                network.send(TestingSegment.between(TestingSegment.address("10.0.0.9", port), TestingSegment.SERVER)
                        .sequence(1 + turn)
                        .text(turn == 0 ? "a" : "b"));
            }
        }
        assertEquals(5_000, network.connections.size());
        network.connections.forEach(
                connection -> assertEquals("ab", connection.client.text() + connection.server.text()));
    }

    @Test
    void hearsNothingOfConnectionsThatNobodyWants() {
        TcpReassembler deaf = new TcpReassembler(TcpOptions.defaults(), (timeNs, client, server, alreadyOpen) -> null);
        for (TestingSegment segment : List.of(
                client().sequence(101).ack(501).text("a"),
                client().sequence(104).ack(501).text("a"),
                server().sequence(501).ack(102).text("a").fin(),
                client().sequence(105).ack(503).text("a"),
                client().sequence(102).ack(501).rst())) {
            var packet = segment.ipv4();
            deaf.packet(1, LinkLayer.RAW, packet, 0, packet.readableBytes(), packet.readableBytes());
        }
        deaf.end();
        assertEquals(1, deaf.totals().connections);
        assertEquals(0, deaf.totals().clientBytes);
        assertEquals(0, deaf.totals().strayBytes());
    }

    @Test
    void doesNotCareOnWhichAxisTimesAreNorThatSomeGoBack() {
        TestingNetwork early = new TestingNetwork();
        early.timeNs = Long.MIN_VALUE + 5;
        early.connect().send(client().sequence(103).ack(501).text("c"));
        early.timeNs = Long.MAX_VALUE - 10;
        early.frame(LinkLayer.RAW, client().sequence(104).ack(501).text("d").ipv4());
        early.timeNs = -5;
        early.frame(LinkLayer.RAW, client().sequence(105).ack(501).text("e").ipv4());
        early.end();
        assertEquals(
                "cde",
                early.connections.stream()
                        .map(connection -> connection.client.text().replace("\0", ""))
                        .reduce("", String::concat));
    }

    @Test
    void putsAnyMixOfSegmentsTogether() {
        for (int round = 0; round < 300; round++) {
            long seed = System.nanoTime() + round;
            try {
                mix(new Random(seed));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    /** Cuts two streams into segments, repeats and shifts some, and demands the streams, or holes where they are. */
    private static void mix(Random random) {
        byte[][] streams = {new byte[random.nextInt(5_000)], new byte[random.nextInt(5_000)]};
        int[] first = {random.nextInt(), random.nextInt()};
        TestingNetwork network = new TestingNetwork();
        network.send(
                client().syn(first[0] - 1),
                server().syn(first[1] - 1).ack(first[0]),
                client().sequence(first[0]).ack(first[1]));
        List<TestingSegment> segments = new ArrayList<>();
        int[] sent = {0, 0};
        boolean lossy = random.nextInt(3) == 0;
        while (sent[0] < streams[0].length || sent[1] < streams[1].length) {
            int side = random.nextInt(2);
            int from = Math.max(0, sent[side] - (random.nextInt(4) == 0 ? random.nextInt(600) : 0));
            int to = Math.min(streams[side].length, sent[side] + random.nextInt(700));
            for (int i = sent[side]; i < to; i++) {
                streams[side][i] = (byte) (1 + random.nextInt(255));
            }
            if (to > from && !(lossy && random.nextInt(10) == 0)) {
                segments.add((side == 0 ? client() : server())
                        .sequence(first[side] + from)
                        .ack(first[1 - side] + sent[1 - side])
                        .bytes(Arrays.copyOfRange(streams[side], from, to)));
            }
            sent[side] = Math.max(sent[side], to);
        }
        for (int i = 0; i < segments.size(); i++) {
            int other = Math.min(segments.size() - 1, i + random.nextInt(6));
            TestingSegment swapped = segments.get(i);
            segments.set(i, segments.get(other));
            segments.set(other, swapped);
        }
        for (TestingSegment segment : segments) {
            network.send(segment);
            if (lossy && random.nextInt(5) == 0) {
                network.pause(random.nextInt(70));
            }
        }
        network.send(
                client().sequence(first[0] + streams[0].length)
                        .ack(first[1] + streams[1].length)
                        .fin(),
                server().sequence(first[1] + streams[1].length)
                        .ack(first[0] + streams[0].length + 1)
                        .fin());
        network.end();
        StreamBytes connection = network.only();
        check(streams[0], connection.client, lossy);
        check(streams[1], connection.server, lossy);
        assertEquals(TcpEnd.CLIENT_FIN, connection.end);
    }

    private static void check(byte[] sent, StreamBytes.Side received, boolean lossy) {
        byte[] bytes = Arrays.copyOf(received.bytes(), sent.length); // a hole at the end is not filled
        if (!lossy) {
            assertArrayEquals(sent, bytes);
            assertEquals(0, received.missing);
            return;
        }
        long missing = 0;
        for (int i = 0; i < sent.length; i++) {
            if (bytes[i] == 0) {
                missing++;
            } else {
                assertEquals(sent[i], bytes[i], "at " + i);
            }
        }
        assertEquals(received.missing, missing);
    }
}
