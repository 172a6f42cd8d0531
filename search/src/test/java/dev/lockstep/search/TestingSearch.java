package dev.lockstep.search;

import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** A search in a directory, with an evaluator of the test's; as a program, one that can be killed. */
final class TestingSearch {
    static final String SPACE = "{\"evaluations\": 6, \"seed\": 3, \"noisy\": false,"
            + " \"parameters\": [{\"name\": \"x\", \"type\": \"float\", \"min\": 0, \"max\": 1}]}";

    final List<String> notes = new ArrayList<>();
    final List<Integer> evaluated = new ArrayList<>();
    private final Path directory;
    private final SearchPlan plan;
    boolean interrupted;
    /** Since 1970. */
    LongSupplier clockMs = System::currentTimeMillis;
    /** Whether the result is shown; a kill may come before. */
    boolean shows = true;
    /** Runs each time that the search says that it is paused. */
    Runnable whilePaused = () -> {};

    TestingSearch(Path directory) {
        this(directory, SPACE);
    }

    TestingSearch(Path directory, String space) {
        this.directory = directory;
        plan = SpaceFile.read("s.json", space);
    }

    /** Evaluates x by its square. */
    static Observation square(Trial trial) {
        double x = trial.configuration().number("x").orElseThrow();
        return Observation.of(x * x);
    }

    /** Evaluates x by what no model learns, so that a search does not end early. */
    static Observation rough(Trial trial) {
        return Observation.of(Math.sin(1e4 * trial.configuration().number("x").orElseThrow()));
    }

    SearchResult run() {
        return run(TestingSearch::square, false, 0);
    }

    SearchResult run(Function<Trial, Observation> function, boolean force, int add) {
        Evaluator evaluator = new Evaluator() {
            private Trial begun;

            @Override
            public void begin(Trial trial) {
                begun = trial;
            }

            @Override
            public Optional<Told> next(Control control) {
                evaluated.add(begun.number());
                Evaluation found = Evaluation.of(function.apply(begun));
                return control.givesUp() ? Optional.empty() : Optional.of(Told.of(begun, found));
            }

            @Override
            public void giveUp(Trial trial) {}

            @Override
            public void close() {}
        };
        Control control = Control.of(directory, () -> interrupted);
        try (Journal journal = Journal.open(directory, plan, Map.of("evaluate", "test"), force)) {
            Search search = new Search(plan, journal, control, listener(), 1, add).by(() -> clockMs.getAsLong());
            SearchResult result = search.run(Search.engine(plan, search.evaluations()), evaluations -> evaluator);
            if (shows && !result.interrupted()) {
                journal.finish(result);
            }
            return result;
        }
    }

    private SearchListener listener() {
        return new SearchListener() {
            @Override
            public void note(String sentence) {
                notes.add(sentence);
                if (sentence.startsWith("paused")) {
                    whilePaused.run();
                }
            }
        };
    }

    /** Runs a search with a program: DIRECTORY SPACE COMMAND. Prints its result. */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        SearchPlan plan = SpaceFile.read(Path.of(args[1]));
        try (Journal journal = Journal.open(directory, plan, Map.of("evaluate", args[2]), false)) {
            Search search = new Search(
                    plan,
                    journal,
                    Control.of(directory, () -> false),
                    new SearchListener() {},
                    Integer.getInteger("parallel", 1),
                    0);
            SearchResult result = search.run(
                    Search.engine(plan, search.evaluations()),
                    evaluations -> ProgramEvaluator.start(args[2], plan.space(), directory, environment -> {}));
            System.out.print(result.toJson());
        }
    }
}
