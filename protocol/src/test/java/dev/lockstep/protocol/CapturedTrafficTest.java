package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Framing of real captures: as many requests as other tools count, and the same ones however the bytes are cut. */
final class CapturedTrafficTest {
    /** Where we differ from what both tools or the only one count, captured-traffic-differences.tsv says why. */
    @Test
    void countsAsManyHttpRequestsAsOtherToolsDo() throws IOException {
        Map<String, Map<String, String>> manifest = TestingCaptures.manifest();
        Map<String, String> differences = differences();
        List<String> surprises = new ArrayList<>();
        for (String capture : TestingCaptures.captures()) {
            String scan = manifest.get(capture).get("http_req");
            String tshark = manifest.get(capture).get("tshark_req");
            long requests = 0;
            for (TestingCaptures.Connection connection : TestingCaptures.connections(capture)) {
                requests += new Framed(connection, null).httpRequests;
            }
            String ours = Long.toString(requests);
            String explained = differences.remove(capture);
            boolean same = ours.equals(scan) || ours.equals(tshark);
            if (explained == null ? !same : same || !explained.equals(ours)) {
                surprises.add(capture + ": " + ours + ", scan.py " + scan + ", tshark " + tshark);
            }
        }
        assertEquals(List.of(), surprises);
        assertEquals(Map.of(), differences);
    }

    @Test
    void countsAndNamesTheRequestsOfHttp2AsTsharkDoes() {
        assertHttp2("pcap-h2/arkime/http2-nghttp2.pcap", "GET nghttp2.org/");
        assertHttp2("pcap-h2/suricata/dns-over-http2-limit__input.pcap", "POST 127.0.0.1:8080/dns");
        assertHttp2(
                "pcap-h2/suricata/dns-over-http2__dns_over_https.pcap",
                "GET dns.google/dns-query",
                "GET dns.google/dns-query",
                "GET dns.google/dns-query",
                "GET dns.google/dns-query");
        assertHttp2("pcap-h2/suricata/http2-authority-mismatch__authority_and_host_2.pcap", "GET example.com/");
        assertHttp2(
                "pcap-h2/suricata/http2-bugfixes__input.pcap",
                "GET www.youtube.com/robots.txt",
                "POST www.youtube.com/youtubei/v1/log_event",
                "GET www.youtube.com/favicon.ico",
                "GET www.youtube.com/sw.js");
        assertHttp2(
                "pcap-h2/suricata/http2-compression-bug__input.pcap",
                "GET ogs.google.com/widget/callout",
                "POST play.google.com/log",
                "POST play.google.com/log",
                "POST play.google.com/log",
                "POST play.google.com/log");
        assertHttp2(
                "pcap-h2/suricata/http2-keywords__input.pcap",
                "GET localhost:3000/doc/manual/html/index.html",
                "GET localhost:3000/doc/manual/html/_static/css/theme.css",
                "GET localhost:3000/doc/manual/html/_static/jquery.js",
                "GET localhost:3000/doc/manual/html/_static/underscore.js",
                "GET localhost:3000/doc/manual/html/_static/doctools.js",
                "GET localhost:3000/doc/manual/html/_static/js/theme.js");
        assertHttp2(
                "pcap-h2/suricata/http2-long-frame__input.pcap", "GET target.com/", "GET evil.com/malware/payload.exe");
        assertHttp2(
                "pcap-http/suricata/http2-errorcode__input.pcap",
                "POST 127.0.0.1:6233/helloworld.GreeterService/SayHello");
    }

    /** Connections with holes are left out: there a request is looked for where a packet begins. */
    @Test
    void findsTheSameBoundariesWhereverTheBytesAreCut() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (String capture : TestingCaptures.captures()) {
            for (TestingCaptures.Connection connection : TestingCaptures.connections(capture)) {
                Framed whole = new Framed(connection, null);
                if (connection.isWhole()) {
                    assertEquals(
                            whole.toString(),
                            new Framed(connection, random).toString(),
                            () -> capture + ", seed " + seed);
                }
            }
        }
    }

    /** Any byte may be missing, and any number of them: nothing is thrown, and no request is made up. */
    @Test
    void neverFindsMoreRequestsWhereBytesAreMissing() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (String capture : TestingCaptures.captures()) {
            for (TestingCaptures.Connection connection : TestingCaptures.connections(capture)) {
                Framed whole = new Framed(connection, null);
                TestingCaptures.Connection holed = new TestingCaptures.Connection(connection.alreadyOpen);
                for (TestingCaptures.Event event : connection.events) {
                    boolean lost = event.bytes != null && random.nextInt(4) == 0;
                    holed.events.add(
                            lost
                                    ? new TestingCaptures.Event(
                                            event.ofClient, null, random.nextInt(3) == 0 ? 0 : event.bytes.length)
                                    : event);
                }
                Framed left = new Framed(holed, null);
                // An opaque stream may well hold what looks like requests: a tunnel, or what follows a broken one.
                assertTrue(
                        whole.opaqueBytes > 0 || left.requests <= whole.requests,
                        () -> capture + ", seed " + seed + ": " + left + " of " + whole);
            }
        }
    }

    private static void assertHttp2(String capture, String... requests) {
        List<String> seen = new ArrayList<>();
        for (TestingCaptures.Connection connection : TestingCaptures.connections(capture)) {
            Http2Requests http2 = new Http2Requests();
            List<String> named = new ArrayList<>();
            for (TestingCaptures.Event event : connection.events) {
                if (event.ofClient) {
                    http2.feed(
                            Unpooled.wrappedBuffer(event.bytes),
                            0,
                            event.bytes.length,
                            facts -> named.add(facts.method() + " " + facts.host() + facts.path()));
                }
            }
            seen.addAll(named);
            if (!named.isEmpty()) {
                assertTrue(http2.isFollowed(), capture);
                assertEquals(named.size(), new Framed(connection, new Random(1)).http2Requests, capture);
            }
        }
        assertEquals(Arrays.asList(requests), seen, capture);
    }

    private static Map<String, String> differences() throws IOException {
        Map<String, String> differences = new HashMap<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                CapturedTrafficTest.class.getResourceAsStream("captured-traffic-differences.tsv"),
                StandardCharsets.UTF_8))) {
            lines.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
                String[] columns = line.split("\t", 3);
                assertEquals(3, columns.length, line);
                differences.put(columns[0], columns[1]);
            });
        }
        return differences;
    }

    /** What a framer made of a connection, as a recorder uses it. */
    private static final class Framed {
        final StringBuilder boundaries = new StringBuilder();
        long requests;
        long httpRequests;
        long http2Requests;
        long opaqueBytes;

        private final ConnectionFramer framer;
        private long offset;
        private boolean hasHole;

        /** Feeds the events as they came, or the bytes between two of the other side in random pieces. */
        Framed(TestingCaptures.Connection connection, Random cuts) {
            framer = new ConnectionFramer(null, connection.alreadyOpen);
            for (TestingCaptures.Event event : connection.events) {
                if (event.bytes == null) {
                    missing(event);
                } else {
                    for (int from = 0; from < event.bytes.length; ) {
                        int left = event.bytes.length - from;
                        int piece = cuts == null ? left : Math.min(left, 1 + cuts.nextInt(1 + cuts.nextInt(200)));
                        piece(event.ofClient, Unpooled.wrappedBuffer(event.bytes), from, from + piece);
                        from += piece;
                    }
                }
            }
            http2Requests = framer.http2Requests();
        }

        private void missing(TestingCaptures.Event event) {
            if (event.ofClient) {
                hasHole = framer.isInRequest();
                framer.missing(event.missing);
            } else {
                framer.answerMissing(event.missing);
            }
        }

        private void piece(boolean ofClient, ByteBuf bytes, int from, int to) {
            if (!ofClient) {
                if (framer.wantsAnswers()) {
                    framer.feedAnswer(bytes, from, to);
                }
                return;
            }
            int index = from;
            while (index < to) {
                hasHole &= !framer.isBetweenRequests();
                int next = framer.feed(bytes, index, to);
                assertTrue(next > index && next <= to, "reads on, and not too far");
                offset += next - index;
                if (framer.isOpaque()) {
                    opaqueBytes += next - index;
                } else if (!framer.isAside() && framer.isBetweenRequests() && !hasHole) {
                    requests++;
                    httpRequests += framer.protocol() == Protocol.HTTP1 ? 1 : 0;
                    boundaries.append(offset).append(framer.isAmbiguous() ? "? " : " ");
                }
                index = next;
            }
        }

        @Override
        public String toString() {
            return framer.protocol() + " " + framer.isOpaque() + " " + framer.opaqueReason() + " " + http2Requests
                    + ": " + boundaries;
        }
    }
}
