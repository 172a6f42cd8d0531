import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Parameter;
import dev.lockstep.tuner.Recommendation;
import dev.lockstep.tuner.Space;
import dev.lockstep.tuner.Study;
import dev.lockstep.tuner.StudyOptions;
import dev.lockstep.tuner.Trial;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tuner over standard input and output, an object of JSON a line, for optimisers.py: {@code study} begins one,
 * {@code ask}, {@code tell} and {@code best} are of the latest.
 */
final class OptimiserServer {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Study study;
    private final Map<Integer, Trial> open = new HashMap<>();

    private ObjectNode answer(JsonNode message) {
        ObjectNode answer = JSON.createObjectNode();
        String wanted = message.path("do").asText();
        if (wanted.equals("study")) {
            study = Study.of(space(message), options(message));
            open.clear();
        } else if (wanted.equals("ask")) {
            Trial trial = study.ask();
            open.put(trial.number(), trial);
            answer.put("trial", trial.number());
            put(answer, trial.configuration());
        } else if (wanted.equals("tell")) {
            Map<String, Double> constraints = new HashMap<>();
            message.path("constraints")
                    .properties()
                    .forEach(one -> constraints.put(one.getKey(), one.getValue().asDouble()));
            study.tell(
                    open.remove(message.path("trial").asInt()),
                    Observation.builder()
                            .value(message.path("value").asDouble())
                            .constraints(constraints)
                            .build());
        } else if (wanted.equals("best")) {
            Optional<Recommendation> best = study.best();
            best.ifPresent(one -> put(answer, one.configuration()));
        } else {
            throw new IllegalArgumentException("do: expected study, ask, tell or best, found " + message);
        }
        return answer;
    }

    private static void put(ObjectNode answer, Configuration configuration) {
        answer.set("parameters", JSON.valueToTree(configuration.values()));
    }

    private static Space space(JsonNode message) {
        Space.Builder space = Space.builder();
        for (JsonNode one : message.path("parameters")) {
            Parameter.Builder parameter = Parameter.builder(
                    one.path("name").asText(), Parameter.Type.of(one.path("type").asText()));
            if (one.has("values")) {
                List<Object> values = new ArrayList<>();
                one.path("values").forEach(value -> values.add(value.asLong()));
                parameter.values(values);
            } else {
                parameter.min(one.path("min").asDouble()).max(one.path("max").asDouble());
            }
            space.addParameters(parameter.build());
        }
        message.path("constraints").forEach(name -> space.addConstraints(name.asText()));
        return space.build();
    }

    /** Whether there is noise is not told: neither do those know who evaluate with it. */
    private static StudyOptions options(JsonNode message) {
        return StudyOptions.builder()
                .evaluations(message.path("evaluations").asInt())
                .seed(message.path("seed").asLong())
                .build();
    }

    public static void main(String[] arguments) throws IOException {
        OptimiserServer server = new OptimiserServer();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ObjectNode answer;
            try {
                answer = server.answer(JSON.readTree(line));
            } catch (RuntimeException e) {
                answer = JSON.createObjectNode().put("error", e.toString());
            }
            System.out.println(answer);
        }
    }
}
