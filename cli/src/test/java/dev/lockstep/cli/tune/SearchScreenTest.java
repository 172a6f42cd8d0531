package dev.lockstep.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.search.Control;
import dev.lockstep.search.Engine;
import dev.lockstep.search.Journal;
import dev.lockstep.search.Search;
import dev.lockstep.search.SearchListener;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SpaceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Screens of journals that are written here; the engine's best is the best observed. */
final class SearchScreenTest {
    private static final String SPACE = "{\"evaluations\": 5, \"noisy\": false, \"constraints\": [\"p99\"],"
            + " \"parameters\": [{\"name\": \"MaxInlineSize\", \"type\": \"int\", \"min\": 20, \"max\": 100,"
            + " \"default\": 35}, {\"name\": \"SmallCompiledLowLevelGraphSize\", \"type\": \"int\", \"min\": 150,"
            + " \"max\": 1000, \"default\": 330}]}";

    @TempDir
    private Path folder;

    private String screen(Scale scale, String... told) throws IOException {
        return screenOf(SPACE, scale, told);
    }

    private String screenOf(String space, Scale scale, String... told) throws IOException {
        SearchPlan plan = SpaceFile.read("s.json", space);
        Journal.open(folder, plan, Map.of(), true).close();
        StringBuilder journal = new StringBuilder(Files.readString(folder.resolve("journal.jsonl")));
        for (int i = 0; i < told.length; i++) {
            journal.append("{\"asked\":{\"trial\":")
                    .append(i + 1)
                    .append(",\"origin\":\"")
                    .append(i == 0 ? "default" : "model")
                    .append("\",\"parameters\":{\"MaxInlineSize\":")
                    .append(i == 0 ? 35 : 20 + i)
                    .append(",\"SmallCompiledLowLevelGraphSize\":330}}}\n{\"told\":{\"trial\":")
                    .append(i + 1)
                    .append(",")
                    .append(told[i])
                    .append("}}\n");
        }
        Files.writeString(folder.resolve("journal.jsonl"), journal);
        try (Journal opened = Journal.open(folder, plan, Map.of(), false)) {
            Search search = new Search(plan, opened, Control.of(folder, () -> false), new SearchListener() {}, 1, 0);
            try (Engine engine = Search.engine(plan, search.evaluations())) {
                String screen = String.join(
                        "\n", new SearchScreen(search.soFar(engine), scale).lines(Optional.empty(), "Next:", "more"));
                // Its figures are the model's own matter.
                return screen.replaceFirst("Importance: .* %\n", "Importance: told\n");
            }
        }
    }

    @Test
    void showsRatiosToTheControl() throws IOException {
        assertEquals(
                String.join(
                        "\n",
                        List.of(
                                "BEST after 5 of 5 evaluations",
                                "  MaxInlineSize=22 SmallCompiledLowLevelGraphSize=330",
                                "  expected 0.9366, 95 % band 0.9187 to 0.9549 of the control's, 6.3 % less",
                                "",
                                "trial   ratio      +-  chosen by  parameters",
                                "    3  0.9418  0.0094  model      MaxInlineSize=22",
                                "                                  SmallCompiledLowLevelGraphSize=330",
                                "    1  1.0010       -  default    MaxInlineSize=35",
                                "                                  SmallCompiledLowLevelGraphSize=330",
                                "    2  0.9048       -  model      MaxInlineSize=21",
                                "                                  SmallCompiledLowLevelGraphSize=330 (violates",
                                "                                  p99)",
                                "+- is within one launch of each; launches differ by more",
                                "",
                                "2 evaluations gave no value:",
                                "  evaluations 4, 5: the JVM does not start: Unrecognized VM option",
                                "",
                                "Importance: told",
                                "",
                                "Next:",
                                "  more")),
                screen(
                        Scale.RATIO,
                        "\"value\":0.001",
                        "\"value\":-0.1,\"constraints\":{\"p99\":0.2}",
                        "\"value\":-0.06,\"variance\":1e-4,\"constraints\":{\"p99\":-0.2}",
                        "\"failed\":\"the JVM does not start: Unrecognized VM option\"",
                        "\"failed\":\"the JVM does not start: Unrecognized VM option\""));
    }

    @Test
    void saysOfNoisyValuesThatTheBestIsNotVerified() throws IOException {
        String screen = screenOf(SPACE.replace("\"noisy\": false, ", ""), Scale.PLAIN, "\"value\":2");

        assertTrue(screen.startsWith("BEST so far, not verified, after 1 of 5 evaluations\n"), screen);
    }

    /** A ratio of the default to the control, which is the same, is no gain. */
    @Test
    void callsTheDefaultNoGain() throws IOException {
        String screen = screen(Scale.RATIO, "\"value\":-0.01", "\"value\":0.2");

        assertTrue(screen.contains("\n  expected 0.9900; it is the default, so nothing better was found\n"), screen);
    }

    @Test
    void showsValuesAsTheyAre() throws IOException {
        assertEquals(
                String.join(
                        "\n",
                        List.of(
                                "BEST so far after 2 of 5 evaluations",
                                "  MaxInlineSize=21 SmallCompiledLowLevelGraphSize=330",
                                "  expected 0.3979; the default gave 1234568",
                                "",
                                "trial    value  +-  chosen by  parameters",
                                "    2   0.3979   -  model      MaxInlineSize=21",
                                "                               SmallCompiledLowLevelGraphSize=330",
                                "    1  1234568   -  default    MaxInlineSize=35",
                                "                               SmallCompiledLowLevelGraphSize=330",
                                "",
                                "Importance: told",
                                "",
                                "Next:",
                                "  more")),
                screen(Scale.PLAIN, "\"value\":1234567.9", "\"value\":0.39788735"));
    }

    @Test
    void saysWhereTheEvaluationsAreThatItLeavesOut() throws IOException {
        String[] told = IntStream.range(0, 10).mapToObj(i -> "\"value\":" + i).toArray(String[]::new);

        String screen = screenOf(SPACE.replace("\"evaluations\": 5", "\"evaluations\": 12"), Scale.PLAIN, told);

        assertTrue(screen.contains("\nand 2 more: tune.html, --json\n"), screen);
        assertTrue(screen.contains("\n    8 "), screen);
        assertFalse(screen.contains("\n    9 "), screen);
    }

    @Test
    void saysThatNothingWorked() throws IOException {
        assertEquals(
                String.join(
                        "\n",
                        List.of(
                                "NO RESULT after 1 of 5 evaluations: no configuration worked and kept all",
                                "  constraints",
                                "",
                                "1 evaluation gave no value:",
                                "  evaluation 1: it died",
                                "",
                                "Next:",
                                "  more")),
                screen(Scale.PLAIN, "\"failed\":\"it died\""));
    }
}
