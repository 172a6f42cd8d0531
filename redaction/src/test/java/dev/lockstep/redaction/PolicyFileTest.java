package dev.lockstep.redaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyFileTest {
    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = folder.resolve("rules.yaml");
    }

    private RedactionPolicy load(String yaml) throws IOException {
        Files.writeString(file, yaml);
        return RedactionPolicy.load(file, RedactionKey.random());
    }

    private String complaint(String yaml) {
        RedactionException e = assertThrows(RedactionException.class, () -> load(yaml));
        assertFalse(e.getMessage().contains("\n"));
        return e.getMessage().replace(file.toString(), "rules.yaml");
    }

    private static String json(String body) {
        return "POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n"
                + body;
    }

    @Test
    void addsToTheDefaults() throws IOException {
        RedactionPolicy policy =
                load("headers: [X-Internal-*]\nquery: ['*_hash']\nform: [pin]\njson: [ssn, user.card.number]\n");
        String out = TestingStream.redact(
                policy, "GET /?my_hash=abcdef&b=c HTTP/1.1\r\nX-Internal-Id: abcdef\r\nX-Api-Key: abcdef\r\n\r\n");
        assertFalse(out.contains("abcdef"), out);
        assertTrue(out.contains("b=c"));
        out = TestingStream.redact(
                policy,
                json(
                        "{\"user\":{\"card\":[{\"number\":\"4111222233334444\",\"ssn\":123456789012345}],\"number\":4},\"number\":5,"
                                + "\"card\":{\"number\":6}}"));
        assertTrue(
                out.matches(
                        "(?s).*\\{\"user\":\\{\"card\":\\[\\{\"number\":\"\\w{16}\",\"ssn\":\\d{15}}],\"number\":4},"
                                + "\"number\":5,\"card\":\\{\"number\":6}}"),
                out);
        assertFalse(out.contains("4111222233334444") || out.contains("123456789012345"), out);
        assertTrue(policy.description().startsWith("default rules, rules of rules.yaml; key "), policy.description());
    }

    @Test
    void startsFromNothingWhenTold() throws IOException {
        RedactionPolicy policy = load("defaults: false\nheaders: [Authorization]\njson: ['*.b']\n");
        String out = TestingStream.redact(
                policy, "GET / HTTP/1.1\r\nX-Api-Key: abcdef\r\nAuthorization: Bearer abcdef\r\n\r\n");
        assertTrue(out.matches("(?s).*X-Api-Key: abcdef\r\nAuthorization: Bearer \\w{6}\r\n\r\n"), out);
        assertEquals(1, policy.counts().total());
        assertFalse(
                TestingStream.redact(policy, json("{\"a\":{\"b\":\"abcdef\"}}")).contains("abcdef"));
        String other = json("{\"b\":\"abcdef\",\"a\":{\"c\":{\"b\":\"abcdef\"}}}");
        assertEquals(other, TestingStream.redact(policy, other));
    }

    /** A token in their place would be a length that is none, or a body of another type. */
    @Test
    void keepsWhatSaysHowARequestIsReadWhateverPatternsNameIt() throws IOException {
        RedactionPolicy policy = load("headers: ['*', '*-length']\n");
        String body = "{\"token\":\"abcdef\",\"a\":1}";
        String head = "POST / HTTP/1.1\r\nContent-Type: application/json\r\nConnection: keep-alive\r\n";
        String whole = head + "Content-Length: " + body.length() + "\r\nX-Any: abcdef\r\n\r\n" + body;
        String chunked = head + "Transfer-Encoding: chunked\r\nX-Any: abcdef\r\n\r\n"
                + Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n";
        for (String stream : new String[] {whole, chunked}) {
            String out = TestingStream.redact(policy, stream);
            String token = out.substring(stream.indexOf("abcdef"), stream.indexOf("abcdef") + 6);
            assertNotEquals("abcdef", token);
            assertEquals(stream.replace("abcdef", token), out);
        }
        assertEquals(
                "rules.yaml:1:11: expected no header that says how a request is read, found 'content_length'",
                complaint("headers: [content_length]\n"));
    }

    @Test
    void refusesAFileWithoutRules() {
        String message = "rules.yaml: expected rules under one or more of defaults, headers, query, form, json, thrift,"
                + " found nothing; leave the file out for the built-in rules";
        assertEquals(message, complaint(""));
        assertEquals(message, complaint("# headers: [a]\n"));
        assertEquals(message, complaint("{}\n"));
    }

    @Test
    void countsInWordsOfTheRightNumber() throws IOException {
        RedactionPolicy policy = load("defaults: true\n");
        TestingStream.redact(policy, "GET /?token=abcdef HTTP/1.1\r\nX-Api-Key: abcdef\r\nCookie: a=bcdefgh\r\n\r\n");
        assertEquals(
                "1 header, 1 cookie, 1 query parameter replaced",
                policy.counts().summary());
        TestingStream.redact(policy, "GET / HTTP/1.1\r\nX-Api-Key: abcdef\r\n\r\n");
        assertEquals(
                "2 headers, 1 cookie, 1 query parameter replaced",
                policy.counts().summary());
    }

    @Test
    void saysWhereAFileIsWrong() {
        assertEquals(
                "rules.yaml:2:1: expected one of defaults, headers, query, form, json, thrift, found 'header'",
                complaint("defaults: true\nheader: [a]\n"));
        assertEquals("rules.yaml:1:10: expected a list of names, found 'a'", complaint("headers: a\n"));
        assertEquals("rules.yaml:2:4: expected a name, found a mapping", complaint("query:\n - {a: b}\n"));
        assertEquals("rules.yaml:1:11: expected true or false, found 'maybe'", complaint("defaults: maybe\n"));
        assertEquals(
                "rules.yaml:1:18: expected field ids with dots between them, such as 1 or 2.3, found 'x'",
                complaint("thrift: {login: [x]}\n"));
        assertEquals("rules.yaml:1:1: expected a mapping of rules, found a list", complaint("[]\n"));
        assertEquals(
                "rules.yaml:2:1: expected each key once, found a second 'json'", complaint("json: []\njson: []\n"));
        assertEquals(
                "rules.yaml:1:8: expected names with dots between them, found 'a..b'", complaint("json: [a..b]\n"));
        assertTrue(complaint("json: [\n").startsWith("rules.yaml:2:1: not YAML: "), complaint("json: [\n"));
        assertEquals(
                "rules.yaml:1:1: expected one of defaults, headers, query, form, json, thrift, found 'a b'",
                complaint("\"a\\nb\": 1\n"));
        assertTrue(complaint("\0").startsWith("rules.yaml: not YAML: "));
        assertEquals(
                folder.resolve("none") + ": no such file of redaction rules",
                assertThrows(
                                RedactionException.class,
                                () -> RedactionPolicy.load(folder.resolve("none"), RedactionKey.random()))
                        .getMessage());
    }

    @Test
    void saysOnceWhatCannotBeRead() throws IOException {
        Path below = Files.writeString(file, "").resolve("below");
        String rules = assertThrows(RedactionException.class, () -> RedactionPolicy.load(below, RedactionKey.random()))
                .getMessage();
        assertTrue(rules.startsWith(below + ": cannot be read: "), rules);
        assertEquals(0, rules.lastIndexOf(below.toString()), rules);
        String key = assertThrows(RedactionException.class, () -> RedactionKey.ofFile(below))
                .getMessage();
        assertTrue(key.startsWith(below + ": the key cannot be read: "), key);
        assertEquals(0, key.lastIndexOf(below.toString()), key);
    }

    @Test
    void readsKeysFromFiles() throws IOException {
        Path key = folder.resolve("key");
        Files.writeString(key, "0123456789abcdef\n");
        RedactionKey first = RedactionKey.ofFile(key);
        Files.writeString(key, "0123456789abcdef");
        RedactionKey second = RedactionKey.ofFile(key);
        assertEquals(first.fingerprint(), second.fingerprint());
        assertNotEquals(first.fingerprint(), RedactionKey.random().fingerprint());
        String stream = "GET /?token=abcdef HTTP/1.1\r\n\r\n";
        assertEquals(
                TestingStream.redact(RedactionPolicy.defaults(first), stream),
                TestingStream.redact(RedactionPolicy.defaults(second), stream));
        Files.writeString(key, "short");
        assertEquals(
                key + ": expected a key of 16 to 4096 bytes, found 5",
                assertThrows(RedactionException.class, () -> RedactionKey.ofFile(key))
                        .getMessage());
        assertThrows(RedactionException.class, () -> RedactionKey.ofEnvironment("LOCKSTEP_NO_SUCH_KEY"));
    }
}
