package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.replayer.comparison.AnswerBody;
import dev.lockstep.replayer.comparison.AnswerBody.Coding;
import dev.lockstep.results.AnswerPair;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AnswerBodiesTest {
    private static final String SECRET = "hunter2hunter2";
    private static final String LOGIN = "{\"name\":\"ann\",\"access_token\":\"" + SECRET + "\",\"n\":1}";

    private final AnswerBodies bodies = new AnswerBodies();

    private AnswerPair.Body of(String type, Coding coding, byte[] beginning, long bytes) {
        return bodies.of(new AnswerBody(type, coding, beginning, bytes));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void replacesSecretsByTokensOfTheirLength() {
        String text = of("application/json", Coding.NONE, ascii(LOGIN), LOGIN.length())
                .text()
                .orElseThrow();

        assertFalse(text.contains(SECRET), text);
        assertEquals(LOGIN.length(), text.length());
        assertTrue(text.startsWith("{\"name\":\"ann\",\"access_token\":\""), text);
        assertTrue(text.endsWith("\",\"n\":1}"), text);
    }

    @Test
    void replacesASecretThatIsCut() {
        int until = LOGIN.indexOf(SECRET) + 6;
        AnswerPair.Body body = of("application/json", Coding.NONE, ascii(LOGIN.substring(0, until)), LOGIN.length());

        assertTrue(body.cut());
        assertEquals(until, body.text().orElseThrow().length());
        assertFalse(body.text().orElseThrow().contains("hunter"), body.toString());
    }

    @Test
    void searchesWhatGzipHolds() throws IOException {
        ByteArrayOutputStream gzip = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(gzip)) {
            out.write(ascii(LOGIN));
        }
        AnswerPair.Body body = of("application/json", Coding.GZIP, gzip.toByteArray(), gzip.size());

        assertTrue(body.text().orElseThrow().startsWith("{\"name\":\"ann\""), body.toString());
        assertFalse(body.text().orElseThrow().contains(SECRET), body.toString());
        assertTrue(of("", Coding.OTHER, ascii(LOGIN), LOGIN.length()).absent().isPresent());
    }

    @ParameterizedTest
    @CsvSource({
        "application/xml, <Token>hunter2hunter2</Token>",
        "text/html; charset=utf-8, <input name=csrf_token value=hunter2hunter2>",
        "application/octet-stream, hunter2hunter2",
        "text/plain, <password>hunter2hunter2</password>",
        "application/x-www-form-urlencoded, ' <password>hunter2hunter2</password>'",
        "application/json, <password>hunter2hunter2</password>",
        "application/json, token=hunter2hunter2",
        "'', hunter2hunter2"
    })
    void writesNothingOfWhatHasNoFieldsToSearch(String type, String body) {
        AnswerPair.Body found = of(type, Coding.NONE, ascii(body), body.length());

        assertEquals(Optional.of("of a type that cannot be searched for secrets"), found.absent());
        assertFalse(found.toString().contains("hunter"), found.toString());
    }

    @Test
    void writesBytesThatAreNoTextInHexadecimal() {
        byte[] bytes = {0, (byte) 0xff, 0x10};
        assertEquals(
                Optional.of("00ff10"), of("text/plain", Coding.NONE, bytes, 3).hex());

        byte[] cut = Arrays.copyOf("gr\u00fc".getBytes(StandardCharsets.UTF_8), 3);
        assertEquals(Optional.of("gr"), of("text/plain", Coding.NONE, cut, 9).text(), "a half of a character");
    }
}
