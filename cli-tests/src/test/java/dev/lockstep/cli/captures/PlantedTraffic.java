package dev.lockstep.cli.captures;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Makes what clients might send, with secrets wherever {@link #RULES} look for them, as it should be or damaged. Each
 * secret is another one. Used by one thread.
 */
final class PlantedTraffic {
    /** What the secrets are found by, beside the default rules. */
    static final String RULES = "headers: [X-Internal-*]\nquery: [code, '*_hash']\nform: [pin]\n"
            + "json: [ssn, user.card.number]\nthrift:\n  login: [1, 2.3]\n";

    /** How many bytes of a secret in a row count as found. */
    private static final int FOUND_BYTES = Long.BYTES;

    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final String[] CONTROLS = {"\0", "\1", "\7", "\13", "\f", "\33"};

    /** What one client sends. */
    static final class Stream {
        /** What it is and how it is damaged, for people. */
        final String name;

        final byte[] bytes;

        private Stream(String name, byte[] bytes) {
            this.name = name;
            this.bytes = bytes;
        }
    }

    private final Random random;
    /** Each row of bytes that no file may hold. */
    private final Set<Long> planted = new HashSet<>();

    PlantedTraffic(long seed) {
        random = new Random(seed);
    }

    Stream next() {
        switch (random.nextInt(8)) {
            case 0:
            case 1:
            case 2:
                return http();
            case 3:
                return damaged("HTTP/2", http2());
            case 4:
                return damaged("THeader", header());
            case 5:
                return damaged("mux", mux());
            case 6:
                return damaged("TTwitter", framed(twitter(), login(0)));
            default:
                int form = random.nextInt(3);
                return damaged("Thrift " + form, random.nextBoolean() ? framed(login(form)) : login(form));
        }
    }

    /** Whether bytes hold a part of a secret. */
    boolean isIn(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        for (int i = 0; i + FOUND_BYTES <= bytes.length; i++) {
            if (planted.contains(buffer.getLong(i))) {
                return true;
            }
        }
        return false;
    }

    private String secret() {
        StringBuilder text = new StringBuilder();
        for (int length = 16 + random.nextInt(30); length > 0; length--) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        ByteBuffer bytes = ByteBuffer.wrap(latin(text.toString()));
        for (int i = 0; i + FOUND_BYTES <= text.length(); i++) {
            planted.add(bytes.getLong(i));
        }
        return text.toString();
    }

    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private String any(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    // ---- HTTP/1

    private Stream http() {
        StringBuilder text = new StringBuilder();
        String damage = any("none", "control", "method", "tls", "garbage", "0.9", "length", "line", "name", "cut");
        int requests = 1 + random.nextInt(3);
        int damaged = random.nextInt(requests);
        for (int i = 0; i < requests; i++) {
            text.append(request(i == damaged ? damage : "none"));
        }
        byte[] bytes = latin(text.toString());
        if (damage.equals("tls")) {
            bytes = concat(latin("\26\3\1\0\5hello\24\3\3\0\1\1"), bytes);
        } else if (damage.equals("garbage")) {
            bytes = concat(garbage(), bytes);
        } else if (damage.equals("cut")) {
            bytes = Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
        }
        return new Stream("HTTP/1 " + damage, bytes);
    }

    private String request(String damage) {
        String control = damage.equals("control") ? any(CONTROLS) : "";
        String method =
                damage.equals("method") ? any("\u0080GET", "G\u0080T", "POST\u0080") : any("GET", "POST", "PUT");
        String end = damage.equals("line") && random.nextBoolean() ? "\n" : "\r\n";
        String target = "/a" + control
                + any("", ";jsessionid=" + secret())
                + any(
                        "",
                        "?x=1&access_token=" + secret() + "&y",
                        "?code=" + control + secret() + "#f",
                        "#x=1&access_token=" + secret(),
                        "?a_hash=" + secret(),
                        "?f=%7B%22ssn%22:+%22" + secret() + "%22%7D");
        StringBuilder head = new StringBuilder(method + " " + target);
        head.append(damage.equals("0.9") ? end : " HTTP/1." + random.nextInt(2) + end);
        head.append("Host: shop").append(end);
        for (int fields = random.nextInt(5); fields > 0; fields--) {
            head.append(field()).append(end);
        }
        if (damage.equals("name")) {
            head.append("bad")
                    .append(any(CONTROLS))
                    .append(": x")
                    .append(end)
                    .append(field())
                    .append(end);
        } else if (damage.equals("line")) {
            head.append("no colon")
                    .append(end)
                    .append("X: y\rX-Api-Key: ")
                    .append(secret())
                    .append(end);
        }
        String[] body = body();
        if (body[1].isEmpty()) {
            return head + end;
        }
        head.append("Content-Type: ").append(body[0]).append(end);
        head.append(any("", "contentType: image/png" + end, "Transfer_Encoding: x" + end));
        if (damage.equals("length")) {
            return head
                    + any("Content-Length: x", "Content-Length: 3\r\nContent-Length: 4", "Transfer-Encoding: x")
                    + end
                    + field()
                    + end
                    + end
                    + body[1];
        }
        if (random.nextBoolean()) {
            return head + "Content-Length: " + body[1].length() + end + end + body[1];
        }
        StringBuilder chunks = new StringBuilder(head + "Transfer-Encoding: chunked" + end + end);
        for (int from = 0; from < body[1].length(); ) {
            int to = Math.min(body[1].length(), from + 1 + random.nextInt(40));
            chunks.append(Integer.toHexString(to - from))
                    .append(end)
                    .append(body[1], from, to)
                    .append(end);
            from = to;
        }
        return chunks + "0" + end + any("", "X-Auth-Token: " + secret() + end) + end;
    }

    private String field() {
        switch (random.nextInt(7)) {
            case 0:
                return "Authorization: " + any("Bearer ", "Basic ", "") + secret();
            case 1:
                return "cookie:a=" + secret() + "; b=\"" + secret() + "\"";
            case 2:
                return "X-Internal-" + random.nextInt(100) + ": " + secret();
            case 3:
                return "Referer: http://shop/?password=" + secret() + "&x=y";
            case 4:
                return "x_api_key :\t" + secret() + "\r\n " + secret();
            case 5:
                return any("Cookie: a=b; c=", "Referer: http://shop/?token=") + secret() + "\r\n " + secret() + "=x";
            default:
                return "Accept: */*";
        }
    }

    /** Type and text of a body; no text for none. */
    private String[] body() {
        switch (random.nextInt(5)) {
            case 0:
                return new String[] {
                    "application/x-www-form-urlencoded",
                    "a=b&pin=" + secret() + "&user[passwd]=" + secret()
                            + any(
                                    "",
                                    "&next=/x?pin=" + secret(),
                                    "&p={\"ssn\":\"" + secret() + "\"}",
                                    "&p=%5B%7B%22u%22%3A%22%2Fx%3Fcode%3D" + secret() + "%22%7D%5D")
                };
            case 1:
                return new String[] {
                    any("application/json", "application/x+json; charset=utf-8", "text/plain"),
                    "{\"a\":[{\"ssn\":\"" + secret() + "\"}],\"user\":{\"card\":{\"number\":\"" + secret()
                            + "\"}},\"u\":\"\\/x?code=" + secret() + "\",\"m\":\"{\\\"ssn\\\":\\\"" + secret()
                            + "\\\"}\",\"b\":1}"
                };
            case 2:
                return new String[] {
                    "multipart/form-data; boundary=B",
                    "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n" + secret() + "\r\n--B--\r\n"
                };
            default:
                return new String[] {"", ""};
        }
    }

    // ---- HTTP/2

    private byte[] http2() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(latin("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
        frame(out, 4, 0, 0, new byte[0]);
        int streams = 1 + random.nextInt(3);
        for (int i = 0; i < streams; i++) {
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            block.writeBytes(new byte[] {(byte) 0x83, (byte) 0x86, 0x44}); // POST, http, :path added
            hpack(block, "/?token=" + secret());
            block.write(0x40 | 23); // authorization, added
            hpack(block, "Bearer " + secret());
            block.writeBytes(new byte[] {0x0f, 32 - 15}); // cookie, not added
            hpack(block, "a=" + secret());
            block.write(0x40);
            hpack(block, "x-internal-" + i);
            hpack(block, secret());
            block.write(0x80 | 62); // the last of the table
            block.writeBytes(new byte[] {0x0f, 31 - 15}); // content-type
            hpack(block, "application/json");
            byte[] bytes = block.toByteArray();
            int cut = random.nextInt(bytes.length);
            frame(out, 1, 0, 2 * i + 1, Arrays.copyOf(bytes, cut));
            frame(out, 9, 4, 2 * i + 1, Arrays.copyOfRange(bytes, cut, bytes.length));
            byte[] json = latin("{\"ssn\":\"" + secret() + "\"}");
            int half = random.nextInt(json.length);
            frame(out, 0, 0, 2 * i + 1, Arrays.copyOf(json, half));
            frame(out, 0, 1, 2 * i + 1, Arrays.copyOfRange(json, half, json.length));
        }
        if (random.nextBoolean()) {
            frame(out, 1, 4, 2 * streams + 1, latin("\102\7CONNECT\100\11:protocol\11websocket\u0086\u0084"));
            frame(out, 0, 1, 2 * streams + 1, latin("\u0081\u007e{\"ssn\":\"" + secret() + "\"}"));
        }
        return out.toByteArray();
    }

    private static void frame(ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
        out.writeBytes(ByteBuffer.allocate(9)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .array());
        out.writeBytes(payload);
    }

    private static void hpack(ByteArrayOutputStream out, String text) {
        out.write(text.length());
        out.writeBytes(latin(text));
    }

    // ---- Thrift

    /** A call of {@code login(1: secret, 2: {3: secret}, 3: plain)}: strict binary, old binary or compact. */
    private byte[] login(int form) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (form == 2) {
            out.writeBytes(new byte[] {(byte) 0x82, 0x21, 7});
            hpack(out, "login");
            out.write(0x18);
            hpack(out, secret());
            out.writeBytes(new byte[] {0x1c, 0x38});
            hpack(out, secret());
            out.writeBytes(new byte[] {0, 0x18});
            hpack(out, "plain");
        } else {
            out.writeBytes(form == 0 ? new byte[] {(byte) 0x80, 1, 0, 1} : new byte[0]);
            string(out, "login");
            out.writeBytes(form == 0 ? new byte[] {0, 0, 0, 9} : new byte[] {1, 0, 0, 0, 9});
            out.writeBytes(new byte[] {11, 0, 1});
            string(out, secret());
            out.writeBytes(new byte[] {12, 0, 2, 11, 0, 3});
            string(out, secret());
            out.writeBytes(new byte[] {0, 11, 0, 3});
            string(out, "plain");
        }
        out.write(0);
        return out.toByteArray();
    }

    private static void string(ByteArrayOutputStream out, String text) {
        out.writeBytes(ByteBuffer.allocate(4).putInt(text.length()).array());
        out.writeBytes(latin(text));
    }

    private static byte[] framed(byte[]... parts) {
        byte[] message = concat(parts);
        return concat(ByteBuffer.allocate(4).putInt(message.length).array(), message);
    }

    private byte[] header() {
        ByteArrayOutputStream section = new ByteArrayOutputStream();
        section.writeBytes(new byte[] {0, 0, (byte) (1 + random.nextInt(2)), 3});
        hpack(section, "client");
        hpack(section, "shop");
        hpack(section, any("authorization", "Cookie", "x-internal-a"));
        hpack(section, any("", "a=") + secret());
        hpack(section, "X-Api-Key");
        hpack(section, secret());
        section.writeBytes(new byte[-section.size() & 3]);
        byte[] fixed = {0x0f, (byte) 0xff, 0, 0, 0, 0, 0, 1, 0, (byte) (section.size() / 4)};
        return framed(fixed, section.toByteArray(), login(random.nextInt(2) * 2));
    }

    private byte[] mux() {
        byte[] head = {2, 0, 0, 1, 0, 1, 0, 3, 'k', 'e', 'y', 0, 2, 'v', 'v', 0, 1, 'd', 0, 0};
        return framed(head, login(0));
    }

    private static byte[] twitter() {
        return new byte[] {10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0};
    }

    // ---- damage

    private Stream damaged(String name, byte[] bytes) {
        switch (random.nextInt(6)) {
            case 0:
                return new Stream(name + " cut", Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length)));
            case 1:
                return new Stream(name + " garbage", concat(garbage(), bytes));
            case 2:
                return new Stream(name + " tls", concat(latin("\26\3\1\0\2hi"), bytes));
            case 3:
                return new Stream(name + " behind", concat(latin(request("none")), bytes));
            case 4:
                return new Stream(name + " before", concat(bytes, garbage(), latin(request("control"))));
            default:
                return new Stream(name, bytes);
        }
    }

    private byte[] garbage() {
        byte[] bytes = new byte[1 + random.nextInt(30)];
        random.nextBytes(bytes);
        // Garbage that ends with a letter would be the beginning of a name.
        bytes[bytes.length - 1] = (byte) random.nextInt(0x20);
        return bytes;
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    /** Cuts bytes as reads or packets might. */
    List<byte[]> pieces(byte[] bytes) {
        List<byte[]> pieces = new ArrayList<>();
        int longest = new int[] {1, 10, 300, 1400}[random.nextInt(4)];
        for (int from = 0; from < bytes.length; ) {
            int to = Math.min(bytes.length, from + 1 + random.nextInt(longest));
            pieces.add(Arrays.copyOfRange(bytes, from, to));
            from = to;
        }
        return pieces;
    }
}
