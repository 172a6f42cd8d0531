package dev.lockstep.search;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.StudyState;
import dev.lockstep.tuner.Trial;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.immutables.value.Value;

/** What a search found so far. Immutable. */
@Value.Immutable
public abstract class SearchResult {
    /** What the member of a front is called that bulges most. */
    public static final String KNEE = "knee";
    /** What the name of an end of a front begins with; that of the objective follows. */
    public static final String BEST_BY = "best-";

    SearchResult() {}

    public abstract SearchPlan plan();

    /** How many evaluations there were to be in all. */
    public abstract int evaluations();

    /** In the order in which they ended. */
    public abstract List<Told> told();

    /** Whether it goes on at this moment. */
    @Value.Default
    public boolean goesOn() {
        return false;
    }

    /** Whether it waits until somebody has it go on. */
    @Value.Default
    public boolean paused() {
        return false;
    }

    /** Whether its best is compared afresh at this moment, which nothing but an interruption ends. */
    @Value.Default
    public boolean verifying() {
        return false;
    }

    /** What is evaluated at this moment. */
    public abstract List<Trial> inProgress();

    public abstract Optional<Best> best();

    /** What the model holds, where it is the tuner's. */
    public abstract Optional<StudyState> state();

    /** Why it ended before all evaluations were done, for people; absent where they are. */
    public abstract Optional<String> whyEnded();

    /** Whether the same command would try nothing more: all evaluations are done, or what chooses ended it. */
    @Value.Default
    public boolean finished() {
        return told().size() >= evaluations();
    }

    /** Whether it was interrupted, and the same command goes on. */
    @Value.Default
    public boolean interrupted() {
        return false;
    }

    /**
     * Returns the members of the front that speak for it, by what people call them: both ends, and between them the one
     * that bulges most. Empty where there is one objective.
     */
    public Map<String, Best> frontMembers() {
        List<Best> front = front();
        Map<String, Best> members = new LinkedHashMap<>();
        if (!front.isEmpty()) {
            members.put(BEST_BY + plan().objective().orElseThrow(), front.get(0));
            best().filter(knee -> isBetween(knee, front)).ifPresent(knee -> members.put(KNEE, knee));
            if (front.size() > 1) {
                members.put(BEST_BY + plan().secondObjective().orElseThrow(), front.get(front.size() - 1));
            }
        }
        return members;
    }

    /** Returns the same names by configurations; of one that has several, the last. */
    public Map<Configuration, String> frontRoles() {
        Map<Configuration, String> roles = new HashMap<>();
        frontMembers().forEach((role, member) -> roles.put(member.configuration(), role));
        return roles;
    }

    private static boolean isBetween(Best knee, List<Best> front) {
        return !knee.configuration().equals(front.get(0).configuration())
                && !knee.configuration().equals(front.get(front.size() - 1).configuration());
    }

    /** Whether the values are logarithms of ratios to a control. */
    @Value.Default
    public boolean ratios() {
        return false;
    }

    /** What a fresh comparison of the best found. */
    public abstract Optional<Verification> verification();

    /** What a fresh comparison of members of the front found. */
    public abstract List<Verification> frontVerifications();

    /**
     * Returns the configurations of which none is better in one objective and as good in the other, from the best of
     * the first on; empty where there is one objective.
     */
    public List<Best> front() {
        return state().map(StudyState::front).orElse(List.of()).stream()
                .map(Best::of)
                .collect(Collectors.toList());
    }

    /** Returns this result as one of ratios. */
    public SearchResult ofRatios() {
        return ImmutableSearchResult.builder().from(this).ratios(true).build();
    }

    /** Returns this result of a search that was interrupted before it had all of it. */
    public SearchResult cutShort() {
        return ImmutableSearchResult.builder().from(this).interrupted(true).build();
    }

    /** Returns this result of a search that goes on with a verification. */
    public SearchResult whileVerifying() {
        return ImmutableSearchResult.builder()
                .from(this)
                .goesOn(true)
                .verifying(true)
                .build();
    }

    /** Returns this result with how the best was verified. */
    public SearchResult verified(Verification found) {
        return ImmutableSearchResult.builder().from(this).verification(found).build();
    }

    /** Returns this result with how members of the front were verified. */
    public SearchResult verified(List<Verification> found) {
        return ImmutableSearchResult.builder()
                .from(this)
                .frontVerifications(found)
                .build();
    }

    /** Returns it as one JSON document; docs/tuning.md describes it. */
    public String toJson() {
        ObjectNode document = JsonLines.object();
        document.set("best", best().map(this::document).orElse(null));
        if (plan().hasTwoObjectives()) {
            ArrayNode front = document.putArray("front");
            front().forEach(one -> front.add(document(one)));
        }
        verification().ifPresent(found -> document.set("verification", found.document()));
        if (!frontVerifications().isEmpty()) {
            ArrayNode found = document.putArray("verification");
            frontVerifications().forEach(one -> found.add(one.document()));
        }
        whyEnded().ifPresent(why -> document.put("ended", why));
        state().map(StudyState::importance)
                .filter(importance -> !importance.isEmpty())
                .ifPresent(importance -> document.set("importance", JsonLines.values(importance)));
        state().flatMap(StudyState::second)
                .map(StudyState::importance)
                .filter(importance -> !importance.isEmpty())
                .ifPresent(importance -> document.set("secondImportance", JsonLines.values(importance)));
        ArrayNode evaluations = document.putArray("evaluations");
        told().forEach(one -> evaluations.add(document(one)));
        return JsonLines.printIndented(document);
    }

    /** Of two objectives, what is expected is a list of two. */
    private ObjectNode document(Best best) {
        ObjectNode document = JsonLines.object();
        document.set("parameters", JsonLines.values(best.configuration().values()));
        if (plan().hasTwoObjectives()) {
            JsonLines.putBoth(document, "predicted", best.predicted(), best.secondPredicted());
            JsonLines.putBoth(document, "predictedSd", best.predictedSd(), best.secondPredictedSd());
        } else {
            best.predicted().ifPresent(value -> document.put("predicted", value));
            best.predictedSd().ifPresent(sd -> document.put("predictedSd", sd));
        }
        putRatio(document, best.predicted(), best.secondPredicted());
        return document;
    }

    private void putRatio(ObjectNode document, OptionalDouble value, OptionalDouble second) {
        if (ratios() && second.isPresent()) {
            JsonLines.putBoth(document, "ratio", exp(value), exp(second));
        } else if (ratios()) {
            value.ifPresent(one -> document.put("ratio", Math.exp(one)));
        }
    }

    private static OptionalDouble exp(OptionalDouble value) {
        return value.isPresent() ? OptionalDouble.of(Math.exp(value.getAsDouble())) : value;
    }

    /** Value and failure stand there in any case, so that scripts need not ask. */
    private ObjectNode document(Told told) {
        Observation observation = told.observation();
        ObjectNode document = JsonLines.object();
        document.put("trial", told.number());
        document.put("origin", told.origin().label());
        document.set("parameters", JsonLines.values(told.configuration().values()));
        document.putNull(plan().hasTwoObjectives() ? "values" : "value");
        document.putNull("failed");
        JsonLines.put(document, observation);
        putRatio(document, observation.value(), observation.secondValue());
        if (told.evaluation().stoppedEarly()) {
            document.put(Journal.STOPPED_EARLY, true);
        }
        if (!told.evaluation().notes().isEmpty()) {
            document.set("notes", JsonLines.node(told.evaluation().notes()));
        }
        return document;
    }
}
