package dev.lockstep.conversion.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.conversion.exports.TestingCaptures;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class MitmReaderTest {
    @TempDir
    private Path folder;

    private static String net(char type, String payload) {
        return payload.length() + ":" + payload + type;
    }

    private static String dict(String... keysAndValues) {
        StringBuilder payload = new StringBuilder();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            payload.append(net(';', keysAndValues[i])).append(keysAndValues[i + 1]);
        }
        return net('}', payload.toString());
    }

    private static String list(String... values) {
        return net(']', String.join("", values));
    }

    private TestingImports.Result run(String content) throws IOException {
        TestingImports imports = new TestingImports(folder);
        return imports.run(imports.file("flows", content));
    }

    private static String http(String... more) {
        String[] request = {
            "method", net(',', "PUT"),
            "path", net(',', "/p?q"),
            "http_version", net(',', "HTTP/1.1"),
            "host", net(';', "a.example"),
            "port", net('#', "8080"),
            "scheme", net(',', "http"),
            "timestamp_start", net('^', "1700000000.5"),
            "headers", list(list(net(',', "B"), net(',', "1")), list(net(',', "A"), net(',', "2")))
        };
        String[] all = Arrays.copyOf(request, request.length + more.length);
        System.arraycopy(more, 0, all, request.length, more.length);
        return dict("type", net(';', "http"), "request", dict(all));
    }

    /** Copying such a name for each value takes minutes. */
    @Test
    @Timeout(30)
    void survivesALongNameAboveManyValues() throws IOException {
        String[] values = new String[200_000];
        for (int i = 0; i < values.length; i += 2) {
            values[i] = "k";
            values[i + 1] = net('~', "");
        }
        TestingImports.Result result = run(http("x".repeat(4 << 20), dict(values)) + http());

        assertEquals(2, result.texts().size());
    }

    @Test
    void keepsHeadersInOrderAndTheBodysBytes() throws IOException {
        TestingImports.Result result = run(http("content", net(',', "\0\u00ff")));

        assertEquals(
                List.of(
                        "PUT /p?q HTTP/1.1\r\nHost: a.example:8080\r\nB: 1\r\nA: 2\r\nContent-Length: 2\r\n\r\n\0\u00ff"),
                result.texts());
    }

    /** Browsers send each cookie of HTTP/2 in a header of its own; many servers read only the first of HTTP/1.1. */
    @Test
    void writesTheCookiesOfHttp2InOneHeader() throws IOException {
        String[] cookies = {
            "headers",
            list(
                    list(net(',', "cookie"), net(',', "a=1")),
                    list(net(',', "B"), net(',', "1")),
                    list(net(',', "cookie"), net(',', "b=2")))
        };
        String newer = http(cookies[0], cookies[1], "http_version", net(',', "HTTP/2.0"));
        TestingImports.Result result = run(newer + http(cookies));

        String head = "PUT /p?q HTTP/1.1\r\nHost: a.example:8080\r\n";
        assertEquals(
                List.of(head + "cookie: a=1; b=2\r\nB: 1\r\n\r\n", head + "cookie: a=1\r\nB: 1\r\ncookie: b=2\r\n\r\n"),
                result.texts());
    }

    @Test
    void importsTcpFlowsAsConnections() throws IOException {
        String flow = dict(
                "type", net(';', "tcp"),
                "client_conn", dict("peername", list(net(';', "10.0.0.1"), net('#', "5000"))),
                "messages",
                        list(
                                list(net('!', "true"), net(',', "ab"), net('^', "1700000000.0")),
                                list(net('!', "false"), net(',', "xx"), net('^', "1700000000.1")),
                                list(net('!', "true"), net(',', "c"), net('^', "1700000000.2"))));

        assertEquals(List.of("abc"), TestingCaptures.streams(run(flow).capture));
    }

    @Test
    void importsADamagedFileAsFarAsItsFlowsAreWhole() throws IOException {
        TestingImports.Result result = run(http() + "99:short");

        assertEquals(1, result.texts().size());
        assertTrue(result.changed().get(0).contains("cut or damaged"), result.changed() + "");
    }

    @Test
    void bearsAnythingWithoutAnotherErrorThanDamage() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] good = http("content", net(',', "abc")).getBytes(StandardCharsets.ISO_8859_1);
        for (int round = 0; round < 3000; round++) {
            byte[] bytes = good.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) ("0123456789:,;#^!~]}".charAt(random.nextInt(19)));
            }
            try {
                ByteSource source = new ByteSource(new ByteArrayInputStream(bytes));
                while (Tnetstring.readFlow(source, 1 << 20, field -> true) != null) {
                    // to the end
                }
            } catch (IOException e) {
                // damage
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", round " + round, e);
            }
        }
    }

    @Test
    void takesNoMemoryForALengthThatTheFileDoesNotHave() {
        ByteSource source = new ByteSource(new ByteArrayInputStream("268435456:x".getBytes(StandardCharsets.US_ASCII)));

        assertThrows(IOException.class, () -> Tnetstring.readFlow(source, 1 << 29, field -> true));
    }

    @Test
    void boundsTheDepth() {
        String deep = net('~', "");
        for (int i = 0; i < 200; i++) {
            deep = list(deep);
        }
        ByteSource source =
                new ByteSource(new ByteArrayInputStream(dict("a", deep).getBytes(StandardCharsets.ISO_8859_1)));

        assertThrows(Tnetstring.Damaged.class, () -> Tnetstring.readFlow(source, 1 << 20, field -> true));
    }
}
