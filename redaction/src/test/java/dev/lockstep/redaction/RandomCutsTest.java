package dev.lockstep.redaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.ConnectionFramer;
import io.netty.buffer.Unpooled;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RandomCutsTest {
    private static final String SECRET = "s3cr3tV4lue";

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final RedactionPolicy policy =
            RedactionPolicy.defaults(TestingStream.KEY).unsearchable(Unsearchable.KEEP);

    /** Feeds a stream in random pieces and compares with what it is in one; returns that. */
    private byte[] sameWhereverCut(Protocol forced, byte[] stream, int times) {
        byte[] whole = TestingStream.redact(policy, forced, stream);
        assertEquals(stream.length, whole.length, "seed " + seed);
        for (int i = 0; i < times; i++) {
            int longest = 1 + random.nextInt(i % 3 == 0 ? 3 : 200);
            try (TestingStream cut = new TestingStream(policy, forced, false)) {
                int from = 0;
                while (from < stream.length) {
                    int to = Math.min(stream.length, from + 1 + random.nextInt(longest));
                    cut.feed(stream, from, to);
                    from = to;
                }
                assertArrayEquals(whole, cut.end(), "seed " + seed);
                assertEquals(cut.marksIn, cut.marksOut, "seed " + seed);
            }
        }
        return whole;
    }

    @Test
    void redactsHttpTheSameWhereverItIsCut() {
        String json = "{\"a\":[1,\"x\\\"\"],\"token\":\"" + SECRET + "\",\"db.password\":{\"a\":\"" + SECRET
                + "\",\"n\":-12.5e3},\"otp\":[true,null,123],\"u\":\"redis:\\/\\/:" + SECRET + "\\u0040h\","
                + "\"v\":\"\\/a?token=" + SECRET + "\\u0026b\",\"w\":\"{\\\"token\\\":\\\"" + SECRET
                + "\\\"}\"}";
        String multipart = "--B\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + SECRET
                + "\r\n--B\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: application/json\r\n\r\n"
                + json + "\r\n--B\r\nContent-Type: application/octet-stream\r\n\r\n [1e5 , " + json
                + "]\r\n--B\r\n\r\nx=y\r\n-\r\ntoken=" + SECRET + "\r\n--B--\r\n";
        StringBuilder chunked = new StringBuilder();
        for (int from = 0; from < json.length(); ) {
            int length = Math.min(json.length() - from, 1 + random.nextInt(20));
            chunked.append(Integer.toHexString(length))
                    .append("\r\n")
                    .append(json, from, from + length)
                    .append("\r\n");
            from += length;
        }
        String stream = "GET /a;jsessionid=" + SECRET + "?b=c&api_key=" + SECRET
                + "&d=%20 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + SECRET
                + "\r\nAccept: */*\r\nCookie: a=" + SECRET + "; b=\"" + SECRET + "\"; " + SECRET + "\r\nX-Api-Key: "
                + SECRET + "\r\n  " + SECRET + "\r\nReferer: http://u:" + SECRET + "@x/?token=" + SECRET
                + "\r\nOrigin: http://x/?f={\"otp\":true\nLocation: /?f={\"token\":\"" + SECRET + "\r\n\r\n"
                + post("application/json", json)
                + post(
                        "application/x-www-form-urlencoded",
                        "a=b&token=" + SECRET + "&c=%3Ftoken%3D" + SECRET + "%26e=d&f=%253Ftoken%253D" + SECRET
                                + "%2526g&u=https%253A%252F%252Fu%253A" + SECRET + "%2540h%252F&p="
                                + URLEncoder.encode(json, StandardCharsets.UTF_8))
                + post("multipart/form-data; boundary=B", multipart)
                + post("text/plain", "[no]\r\ntoken=" + SECRET)
                + post(
                        "application/grpc+json",
                        "\0\0\0\0\"{\"otp\":\"" + SECRET + "-9f8e7d6c5b4a\"}\3\0\0\0\1x\2\0\0\0\2{}")
                + post("application/x-amz-json-1.1", "\u00EF\u00BB\u00BF\r\n[ null ,[" + json)
                + "\r\nPOST / HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                + chunked
                + "0\r\nX-Api-Key: " + SECRET + "\r\n\r\nGET / HTTP/1.1\r\n\r\n";
        byte[] bytes = TestingStream.latin(stream);
        byte[] out = sameWhereverCut(null, bytes, 300);
        assertFalse(TestingStream.latin(out).contains(SECRET));

        ConnectionFramer framer = new ConnectionFramer(null, false);
        int requests = 0;
        for (int from = 0; from < out.length; ) {
            from = framer.feed(Unpooled.wrappedBuffer(out), from, out.length);
            requests += framer.isBetweenRequests() ? 1 : 0;
        }
        assertEquals(9, requests);
        assertFalse(framer.isOpaque());
    }

    private static String post(String type, String body) {
        return "POST / HTTP/1.1\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @Test
    void neverThrowsAndKeepsTheLength() {
        String[] parts = {
            "GET / HTTP/1.1\r\n",
            "POST /?token=",
            "Content-Type: application/json\r\n",
            "Content-Length: 30\r\n",
            "Transfer-Encoding: chunked\r\n",
            "Cookie: a=b; c",
            "Authorization: Basic ",
            "\r\n",
            "\r\n\r\n",
            " ",
            "{\"token\":",
            "\"",
            "\\u00",
            "}",
            "[",
            "5\r\n",
            "0\r\n\r\n",
            "%4",
            "%3f",
            "%3D",
            "%253A%252F%252F",
            "%7B%22token%22%3A",
            "%22",
            "?x={",
            "\\\"",
            "://u:",
            "@",
            "/",
            "=",
            "&",
            "#",
            ";",
            "\0",
            "\u00ff",
            "--B\r\n",
            "Content-Type: multipart/form-data; boundary=B\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\0\0\5\1\4\0\0\0\1",
            "\0\0\0\20\u0080\1\0\1\0\0\0\1a",
            "123",
            "true",
            ","
        };
        for (int i = 0; i < 3000; i++) {
            StringBuilder text = new StringBuilder();
            for (int part = random.nextInt(30); part >= 0; part--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            byte[] bytes = TestingStream.latin(text.toString());
            try (TestingStream stream = new TestingStream(policy, null, random.nextBoolean())) {
                int from = 0;
                while (from < bytes.length) {
                    int to = Math.min(bytes.length, from + 1 + random.nextInt(40));
                    stream.feed(bytes, from, to);
                    if (random.nextInt(10) == 0) {
                        stream.missing(random.nextInt(3));
                    }
                    from = to;
                }
                assertEquals(bytes.length, stream.end().length, "seed " + seed);
            }
        }
    }
}
