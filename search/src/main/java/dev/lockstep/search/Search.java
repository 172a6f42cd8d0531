package dev.lockstep.search;

import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A search from its journal to its end: the engine is asked, the evaluator evaluates, the engine is told, and the
 * journal has each step before the next. All of it on the thread that calls {@link #run}.
 */
public final class Search {
    /** How often a paused search looks whether to go on. */
    private static final long PAUSE_MS = 100;

    private final SearchPlan plan;
    private final Journal journal;
    private final Control control;
    private final SearchListener listener;
    private final int evaluations;

    /**
     * @param add how many evaluations to add to a search that is finished; one that is not goes on with what is left,
     *     so that the same command can be given again after a kill
     */
    public Search(SearchPlan plan, Journal journal, Control control, SearchListener listener, int add) {
        this.plan = plan;
        this.journal = journal;
        this.control = control;
        this.listener = listener;
        if (add > 0 && journal.told().size() >= plan.evaluations() + journal.added()) {
            journal.add(add);
        }
        evaluations = plan.evaluations() + journal.added();
    }

    /** How many evaluations there are to be in all. */
    public int evaluations() {
        return evaluations;
    }

    /**
     * Returns the tuner's own engine for a search.
     *
     * @param evaluations how many there are to be in all
     */
    public static Engine engine(SearchPlan plan, int evaluations) {
        return new StudyEngine(plan, evaluations);
    }

    /** Returns what the journal holds, without evaluating anything. */
    public SearchResult soFar(Engine engine) {
        resume(engine);
        return result(engine, Optional.empty());
    }

    /**
     * Carries it out.
     *
     * @param evaluator is made when the first evaluation is due, so that a finished search starts nothing; closed here
     * @throws SearchException where the evaluator or the engine fails; the same search goes on from its journal
     */
    public SearchResult run(Engine engine, IntFunction<Evaluator> evaluator) {
        control.clear();
        journal.droppedLine().ifPresent(listener::note);
        Deque<Trial> open = resume(engine);
        if (!journal.told().isEmpty() || !open.isEmpty()) {
            listener.note("going on with " + journal.told().size() + " of " + evaluations + " evaluations done");
        }
        Evaluator running = null;
        try {
            while (true) {
                Optional<String> end = whyEnd(engine, open);
                if (end.isPresent() || journal.told().size() >= evaluations) {
                    return result(engine, end);
                }
                Trial trial;
                if (open.isEmpty()) {
                    Optional<Trial> asked = engine.ask();
                    if (asked.isEmpty()) {
                        return result(
                                engine,
                                Optional.of(
                                        control.isInterrupted() ? INTERRUPTED : "the engine has nothing more to try"));
                    }
                    trial = asked.get();
                    journal.ask(trial);
                } else {
                    trial = open.remove();
                }
                if (running == null) {
                    running = evaluator.apply(evaluations);
                }
                if (!evaluate(trial, running, engine)) {
                    return result(engine, Optional.of(INTERRUPTED));
                }
            }
        } finally {
            if (running != null) {
                running.close();
            }
        }
    }

    private static final String INTERRUPTED = "interrupted; the same command goes on";

    /** Tells the engine all that the journal holds, and returns what was begun and not ended. */
    private Deque<Trial> resume(Engine engine) {
        for (Told one : journal.told()) {
            engine.resume(one.trial());
            engine.tell(one.trial().withConfiguration(one.configuration()), one.observation());
        }
        Deque<Trial> open = new ArrayDeque<>(journal.open());
        open.forEach(engine::resume);
        return open;
    }

    /** Returns why no further evaluation is begun, once it is not paused any more. */
    private Optional<String> whyEnd(Engine engine, Deque<Trial> open) {
        boolean told = false;
        while (control.isPaused() && !control.isInterrupted() && !control.isConcluded()) {
            if (!told) {
                listener.note("paused; replay tune --control DIR resume goes on");
                told = true;
            }
            try {
                Thread.sleep(PAUSE_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.of(INTERRUPTED);
            }
        }
        if (control.isInterrupted()) {
            return Optional.of(INTERRUPTED);
        }
        if (control.take(Control.Wish.CONCLUDE)) {
            return Optional.of("concluded by replay tune --control");
        }
        return open.isEmpty() && !journal.told().isEmpty() ? engine.whyEnd() : Optional.empty();
    }

    /** Returns whether it was evaluated, or skipped for good. */
    private boolean evaluate(Trial trial, Evaluator evaluator, Engine engine) {
        listener.begins(trial, evaluations);
        Optional<Evaluation> found = evaluator.evaluate(trial, control);
        if (found.isEmpty() && (control.isInterrupted() || !control.take(Control.Wish.SKIP))) {
            return false;
        }
        // A wish that came when the evaluation had just ended is not for the next one.
        control.take(Control.Wish.SKIP);
        Evaluation evaluation =
                found.orElseGet(() -> Evaluation.of(Observation.skipped("skipped by replay tune --control")));
        Told told = journal.tell(trial, evaluation);
        engine.tell(trial.withConfiguration(told.configuration()), told.observation());
        listener.ended(told, evaluations);
        return true;
    }

    private SearchResult result(Engine engine, Optional<String> whyEnded) {
        boolean interrupted = whyEnded.filter(INTERRUPTED::equals).isPresent();
        return ImmutableSearchResult.builder()
                .plan(plan)
                .evaluations(evaluations)
                .told(journal.told())
                .best(
                        interrupted && control.isInterrupted() && !(engine instanceof StudyEngine)
                                ? Optional.empty()
                                : engine.best())
                .state(engine.state())
                .whyEnded(whyEnded)
                .interrupted(interrupted)
                .build();
    }
}
