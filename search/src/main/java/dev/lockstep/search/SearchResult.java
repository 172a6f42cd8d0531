package dev.lockstep.search;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.StudyState;
import dev.lockstep.tuner.Trial;
import java.util.List;
import java.util.Optional;
import org.immutables.value.Value;

/** What a search found so far. Immutable. */
@Value.Immutable
public abstract class SearchResult {
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

    /** Whether it was interrupted, and the same command goes on. */
    @Value.Default
    public boolean interrupted() {
        return false;
    }

    /** Whether the values are logarithms of ratios to a control. */
    @Value.Default
    public boolean ratios() {
        return false;
    }

    /** What a fresh comparison of the best found. */
    public abstract Optional<Verification> verification();

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

    /** Returns it as one JSON document; docs/tuning.md describes it. */
    public String toJson() {
        ObjectNode document = JsonLines.object();
        if (best().isPresent()) {
            ObjectNode best = document.putObject("best");
            best.set("parameters", JsonLines.values(best().get().configuration().values()));
            best().get().predicted().ifPresent(value -> best.put("predicted", value));
            best().get().predictedSd().ifPresent(sd -> best.put("predictedSd", sd));
            if (ratios()) {
                best().get().predicted().ifPresent(value -> best.put("ratio", Math.exp(value)));
            }
        } else {
            document.set("best", JsonLines.none());
        }
        verification().ifPresent(found -> document.set("verification", found.document()));
        whyEnded().ifPresent(why -> document.put("ended", why));
        state().map(StudyState::importance)
                .filter(importance -> !importance.isEmpty())
                .ifPresent(importance -> document.set("importance", JsonLines.values(importance)));
        ArrayNode evaluations = document.putArray("evaluations");
        told().forEach(one -> evaluations.add(document(one)));
        return JsonLines.printIndented(document);
    }

    /** Value and failure stand there in any case, so that scripts need not ask. */
    private ObjectNode document(Told told) {
        Observation observation = told.observation();
        ObjectNode document = JsonLines.object();
        document.put("trial", told.number());
        document.put("origin", told.origin().label());
        document.set("parameters", JsonLines.values(told.configuration().values()));
        document.set("value", JsonLines.none());
        document.set("failed", JsonLines.none());
        JsonLines.put(document, observation);
        if (ratios()) {
            observation.value().ifPresent(value -> document.put("ratio", Math.exp(value)));
        }
        if (!told.evaluation().notes().isEmpty()) {
            document.set("notes", JsonLines.node(told.evaluation().notes()));
        }
        return document;
    }
}
