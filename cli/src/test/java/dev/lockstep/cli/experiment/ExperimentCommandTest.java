package dev.lockstep.cli.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.results.json.Json;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ExperimentCommandTest {
    private final TestingCommandLine line = new TestingCommandLine();

    @Test
    void listsTheExperimentsAsJsonAndNothingElse() {
        assertEquals(ExitCode.DONE, line.execute("experiment", "--list", "--json"), line::err);

        List<String> names = new ArrayList<>();
        for (JsonNode one : Json.parse("list", "{\"all\": " + line.out() + "}").path("all")) {
            names.add(one.path("experiment").asText());
            assertFalse(one.path("title").asText().isEmpty(), one::toString);
            assertTrue(one.path("asks").asText().endsWith("?"), one::toString);
            for (String field : List.of("smokeNs", "quickNs", "fullNs")) {
                assertTrue(one.path(field).isIntegralNumber(), one::toString);
            }
        }
        assertEquals(List.of("autotune", "cloud-memory", "jit-hotspots", "netty-buffers", "wholly-graal"), names);
    }

    @ParameterizedTest
    @ValueSource(strings = {"jit-hotspots", "--quick", "--smoke", "-o=out"})
    void refusesWhatConcernsOneExperimentBesideTheList(String word) {
        assertEquals(ExitCode.USAGE, line.execute("experiment", "--list", word));

        assertTrue(line.err().contains("--list shows all experiments in all sizes"), line::err);
    }
}
