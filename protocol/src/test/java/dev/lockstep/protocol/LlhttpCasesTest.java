package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * llhttp's own test cases: where it says that messages end, ours end. Where they do not, llhttp-differences.tsv gives
 * our ends and the reason.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LlhttpCasesTest {
    private final List<JsonNode> cases = cases();
    private final Map<String, String> differences = differences();

    @Test
    void requestsEndWhereLlhttpSaysThatTheyDo() {
        assertEquals(75, compare("request"));
    }

    @Test
    void responsesEndWhereLlhttpSaysThatTheyDo() {
        assertEquals(48, compare("response"));
    }

    @Test
    void everyDifferenceIsOfACase() throws IOException {
        Map<String, String> left = new HashMap<>(differences);
        cases.forEach(each -> left.remove(each.get("id").asText()));

        assertEquals(Map.of(), left);
        String page = Files.readString(TestingCaptures.folder().resolveSibling("docs/protocols.md"));
        assertTrue(page.contains("(" + differences.size() + " differ, `llhttp-differences.tsv`)"));
    }

    private int compare(String type) {
        int compared = 0;
        for (JsonNode each : cases) {
            if (!each.get("meta").get("type").asText().startsWith(type)) {
                continue;
            }
            compared++;
            String id = each.get("id").asText();
            String theirs = each.get("message_complete").toString();
            byte[] input = Base64.getDecoder().decode(each.get("input_b64").asText());
            for (int cut : new int[] {input.length, 1, 7}) {
                String ours = (type.equals("request")
                                ? requestEnds(input, cut)
                                : responseEnds(input, cut, each.get("meta").has("skipBody")))
                        .toString()
                        .replace(" ", "");
                if (differences.containsKey(id)) {
                    assertEquals(differences.get(id), ours, id);
                    assertNotEquals(theirs, ours, id + " is no difference");
                } else {
                    assertEquals(theirs, ours, id);
                }
            }
        }
        return compared;
    }

    private static List<Integer> requestEnds(byte[] input, int cut) {
        List<Integer> ends = new ArrayList<>();
        HttpRequestFramer framer = new HttpRequestFramer();
        ByteBuf buffer = Unpooled.wrappedBuffer(input);
        for (int from = 0; from < input.length; ) {
            from = framer.feed(buffer, from, Math.min(input.length, from - from % cut + cut));
            if (framer.isBetweenRequests()) {
                ends.add(from);
            }
        }
        return ends;
    }

    /** Reads as a client does: until the connection ends, as the answers' own bytes say. */
    private static List<Integer> responseEnds(byte[] input, int cut, boolean withoutBody) {
        List<Integer> ends = new ArrayList<>();
        HttpResponseFramer framer = new HttpResponseFramer();
        framer.expect(withoutBody, false);
        for (int from = 0; from < input.length; ) {
            ByteBuf piece = Unpooled.wrappedBuffer(input, from, Math.min(cut, input.length - from));
            int outcome = framer.feed(piece);
            from += piece.readerIndex();
            if (outcome == HttpResponseFramer.COMPLETE) {
                ends.add(from);
                if (!framer.persistent()) {
                    break;
                }
                framer.expect(withoutBody, false);
            } else if (outcome == HttpResponseFramer.MALFORMED) {
                break;
            }
        }
        return ends;
    }

    private static List<JsonNode> cases() {
        Path file = Path.of(System.getProperty("lockstep.testData"), "http-parser-cases", "llhttp-cases.jsonl");
        List<JsonNode> cases = new ArrayList<>();
        try {
            ObjectMapper mapper = new ObjectMapper();
            for (String line : Files.readAllLines(file)) {
                cases.add(mapper.readTree(line));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return cases;
    }

    private static Map<String, String> differences() {
        Map<String, String> differences = new HashMap<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                LlhttpCasesTest.class.getResourceAsStream("llhttp-differences.tsv"), StandardCharsets.UTF_8))) {
            lines.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
                String[] columns = line.split("\t", 3);
                assertEquals(3, columns.length, line);
                differences.put(columns[0], columns[1]);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return differences;
    }
}
