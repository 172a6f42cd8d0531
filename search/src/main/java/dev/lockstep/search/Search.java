package dev.lockstep.search;

import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * A search from its journal to its end: the engine is asked, the evaluator evaluates, the engine is told, and the
 * journal has each step before the next. All of it on the thread that calls {@link #run}.
 */
public final class Search {
    /** How often a paused search looks whether to go on. */
    private static final long PAUSE_MS = 100;

    /**
     * How many evaluations Lockstep's own engine is asked for at most: the time of its model grows with their third
     * power.
     */
    private static final int MOST_MODELLED = 1_000;

    /** After so many in a row without an answer it is found out whether that is due to what evaluates. */
    static final int MOST_UNANSWERED = 3;

    /** After so many where nothing is known to work: three may fail by chance where a part of the space does. */
    private static final int MOST_UNPROVEN = 10;

    private final SearchPlan plan;
    private final Journal journal;
    private final Control control;
    private final SearchListener listener;
    private final int evaluations;
    private final int parallel;
    /** What failed without an answer since the last answer: told with the next one, or left open if none comes. */
    private final List<Told> unanswered = new ArrayList<>();
    /** Since 1970. */
    private LongSupplier clockMs = unset(System::currentTimeMillis, System::nanoTime);

    /**
     * @param parallel how many trials are evaluated at a time
     * @param add how many evaluations to add to a search that is finished; one that is not goes on with what is left,
     *     of its verification too, so that the same command can be given again after a kill
     */
    public Search(SearchPlan plan, Journal journal, Control control, SearchListener listener, int parallel, int add) {
        this.plan = plan;
        this.journal = journal;
        this.control = control;
        this.listener = listener;
        this.parallel = parallel;
        if (add > 0 && journal.isFinished(plan.evaluations())) {
            journal.add(journal.toAdd(plan.evaluations(), add));
        }
        evaluations = journal.evaluations(plan.evaluations());
    }

    /** Has its time told by another clock, ms since 1970. */
    Search by(LongSupplier otherClockMs) {
        clockMs = otherClockMs;
        return this;
    }

    /** Returns the wall clock as it goes on if nobody sets it: that must neither end a search nor prolong it. */
    static LongSupplier unset(LongSupplier wallMs, LongSupplier monotonicNs) {
        long startMs = wallMs.getAsLong();
        long startNs = monotonicNs.getAsLong();
        return () -> startMs + TimeUnit.NANOSECONDS.toMillis(monotonicNs.getAsLong() - startNs);
    }

    /** How many evaluations there are to be in all. */
    public int evaluations() {
        return evaluations;
    }

    /**
     * Returns the tuner's own engine for a search.
     *
     * @param evaluations how many there are to be in all
     * @throws SpaceException where these are more than its model can take
     */
    public static Engine engine(SearchPlan plan, int evaluations) {
        requireModelled(evaluations);
        return new StudyEngine(plan, evaluations);
    }

    /** @throws SpaceException where these are more evaluations in all than the tuner's own engine can take */
    public static void requireModelled(int evaluations) {
        if (evaluations > MOST_MODELLED) {
            throw new SpaceException("evaluations: expected at most " + MOST_MODELLED + " in all, for the time of the"
                    + " model grows with their third power, found " + evaluations
                    + "; --engine exec:COMMAND takes more");
        }
    }

    /**
     * Returns how many evaluations there are to be in all.
     *
     * @param add as of the constructor
     */
    public static int evaluations(SearchPlan plan, Journal journal, int add) {
        return journal.evaluations(plan.evaluations(), add);
    }

    /** Returns what the journal holds, without evaluating anything. */
    public SearchResult soFar(Engine engine) {
        resume(engine);
        return result(engine, Optional.empty());
    }

    /** Returns what the journal holds before a search goes on, without what an engine makes of it. */
    public SearchResult before() {
        return ImmutableSearchResult.builder()
                .plan(plan)
                .evaluations(evaluations)
                .told(journal.told())
                .goesOn(true)
                .build();
    }

    /**
     * Carries it out.
     *
     * @param evaluator is made when the first evaluation is due, so that a finished search starts nothing; closed here
     * @throws SearchException where the evaluator or the engine fails; the same search goes on from its journal
     */
    public SearchResult run(Engine engine, IntFunction<Evaluator> evaluator) {
        journal.dropped().ifPresent(listener::note);
        Deque<Trial> open = resume(engine);
        if (!journal.told().isEmpty() || !open.isEmpty()) {
            listener.note("going on with " + journal.told().size() + " of " + evaluations + " evaluations done");
        }
        plan.timeBudget().ifPresent(budget -> journal.began(clockMs.getAsLong()));
        Deque<Trial> begun = new ArrayDeque<>();
        Optional<String> end = Optional.empty();
        Evaluator running = null;
        try {
            while (true) {
                while (end.isEmpty() && hasRoom(begun)) {
                    end = whyEnd(engine, open, begun);
                    Optional<Trial> trial = end.isPresent() ? Optional.empty() : next(engine, open);
                    if (trial.isPresent()) {
                        running = running == null ? evaluator.apply(evaluations) : running;
                        begin(trial.get(), running, engine, begun);
                    } else if (end.isEmpty()) {
                        end = Optional.of(nothingMore());
                    }
                }
                if (begun.isEmpty() && !unanswered.isEmpty() && !control.isInterrupted()) {
                    findOutWhy(running, engine);
                    if (unanswered.isEmpty() && end.filter(NOTHING_MORE::equals).isPresent()) {
                        journal.end(NOTHING_MORE);
                    }
                } else if (begun.isEmpty()) {
                    if (end.isPresent()
                            && end.equals(whyTimeIsUp())
                            && !journal.told().isEmpty()) {
                        // It was up before the first answer, which came all the same.
                        journal.end(end.get());
                    }
                    return result(engine, control.isInterrupted() ? Optional.of(INTERRUPTED) : end);
                } else {
                    listener.changed(() -> standing(engine, begun));
                    if (!endOne(running, begun, engine)) {
                        return result(engine, Optional.of(INTERRUPTED));
                    }
                }
            }
        } finally {
            if (running != null) {
                running.close();
            }
        }
    }

    /** Whether to begin another trial, or to find out whether to. */
    private boolean hasRoom(Deque<Trial> begun) {
        boolean waits = !begun.isEmpty() && control.isPaused();
        int done = journal.told().size() + unanswered.size();
        return !waits
                && unanswered.size() < mostUnanswered()
                && begun.size() < parallel
                && done + begun.size() < evaluations;
    }

    /** Returns after how many without an answer it is found out why. That the default works is to be expected. */
    private int mostUnanswered() {
        boolean isExpected = journal.told().stream().anyMatch(Search::isAnswered)
                || unanswered.stream()
                        .map(one -> Optional.of(one.trial().configuration()))
                        .anyMatch(plan.space().defaults()::equals);
        return isExpected ? MOST_UNANSWERED : MOST_UNPROVEN;
    }

    /** Returns the next trial: one that was begun before a kill, or a new one. */
    private Optional<Trial> next(Engine engine, Deque<Trial> open) {
        if (!open.isEmpty()) {
            return Optional.of(open.remove());
        }
        Optional<Trial> asked = engine.ask();
        asked.ifPresent(journal::ask);
        return asked;
    }

    private String nothingMore() {
        if (control.isInterrupted()) {
            return INTERRUPTED;
        }
        if (unanswered.isEmpty()) {
            // Else it is found out why first.
            journal.end(NOTHING_MORE);
        }
        return NOTHING_MORE;
    }

    /** Why goes to standard error, and may hold what a page must not. */
    private static final String FAILED = "it failed; the same command goes on";

    private static final String INTERRUPTED = "interrupted; the same command goes on";
    /** The same command begins the same trials again, which a part of the space may fail for good. */
    private static final String MAY_BE_THE_SPACE = "; where it is the configurations that do not work, have it answer"
            + " {\"failed\": \"why\"}, or begin elsewhere by --seed N -o DIR";

    private static final String NOTHING_MORE = "the engine has nothing more to try";

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
    private Optional<String> whyEnd(Engine engine, Deque<Trial> open, Deque<Trial> begun) {
        boolean told = false;
        while (begun.isEmpty() && control.isPaused() && !control.isInterrupted() && !control.isConcluded()) {
            if (!told) {
                listener.paused(() -> standing(engine, begun));
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
            return Optional.of("concluded on request");
        }
        if (journal.told().isEmpty() && !unanswered.isEmpty()) {
            // It is found out why, and not kept for an end.
            return whyTimeIsUp();
        }
        if (!open.isEmpty() || journal.told().isEmpty()) {
            return Optional.empty();
        }
        Optional<String> why = journal.ended().or(this::whyTimeIsUp);
        if (why.isEmpty() && !journal.isUrged()) {
            why = engine.whyEnd();
        }
        why.ifPresent(journal::end);
        return why;
    }

    private Optional<String> whyTimeIsUp() {
        long nowMs = clockMs.getAsLong();
        return plan.timeBudget()
                .filter(budget -> nowMs - journal.began(nowMs) >= budget.toMillis())
                .map(budget -> "the time budget of " + SearchPlan.print(budget) + " is used up");
    }

    private void begin(Trial trial, Evaluator evaluator, Engine engine, Deque<Trial> begun) {
        if (begun.isEmpty()) {
            // A wish from before it began, as in a pause, is not for it.
            control.take(Control.Wish.SKIP);
        }
        listener.begins(trial, evaluations);
        evaluator.begin(trial, engine::state);
        begun.add(trial);
    }

    private SearchResult standing(Engine engine, Deque<Trial> begun) {
        return ImmutableSearchResult.builder()
                .from(result(engine, Optional.empty()))
                .goesOn(true)
                .paused(control.isPaused())
                .inProgress(begun)
                .build();
    }

    /** Waits for one to end, or to be skipped for good; returns whether there was one. */
    private boolean endOne(Evaluator evaluator, Deque<Trial> begun, Engine engine) {
        Optional<Told> found = evaluator.next(control);
        if (found.isEmpty() && (control.isInterrupted() || !control.take(Control.Wish.SKIP))) {
            return false;
        }
        if (found.isPresent()) {
            Told one = found.get();
            begun.remove(one.trial());
            unanswered.add(one);
            if (one.evaluation().unanswered().isEmpty()) {
                tellUnanswered(engine);
            }
        } else {
            Trial oldest = begun.remove();
            evaluator.giveUp(oldest);
            // It is no answer: what failed without one before it may still be due to the evaluator.
            tell(Told.of(oldest, Evaluation.of(Observation.skipped("skipped on request"))), engine);
        }
        if (begun.isEmpty()) {
            // A wish that came when the evaluation had just ended is not for the next one.
            control.take(Control.Wish.SKIP);
        }
        return true;
    }

    private void tellUnanswered(Engine engine) {
        unanswered.forEach(each -> tell(each, engine));
        unanswered.clear();
    }

    /**
     * Finds out whether the last ones failed without an answer due to themselves: then one that had a value before has
     * an answer again.
     *
     * @throws SearchException where it has none; what failed stays open
     */
    private void findOutWhy(Evaluator evaluator, Engine engine) {
        List<Told> all = journal.told();
        Optional<Trial> known = all.stream()
                .filter(one -> one.observation().value().isPresent())
                .reduce((one, later) -> later)
                .map(Told::trial);
        if (known.isPresent() ? answers(evaluator, known.get()) : all.stream().anyMatch(Search::isAnswered)) {
            tellUnanswered(engine);
        } else if (!control.isInterrupted()) {
            SearchException why = unanswered
                    .get(unanswered.size() - 1)
                    .evaluation()
                    .unanswered()
                    .orElseThrow();
            throw known.isPresent()
                    ? why
                    : new SearchException(why.getMessage() + MAY_BE_THE_SPACE, why.kept() + MAY_BE_THE_SPACE);
        }
    }

    private static boolean isAnswered(Told one) {
        return one.observation().skipped().isEmpty();
    }

    private boolean answers(Evaluator evaluator, Trial known) {
        String which = "trial " + known.number() + ", which had a value before";
        listener.note("evaluating " + which + ", once more: the last "
                + (unanswered.size() == 1 ? "one" : unanswered.size()) + " had no answer");
        evaluator.begin(known);
        Optional<Told> found = evaluator.next(control);
        boolean answered =
                found.isPresent() && found.get().evaluation().unanswered().isEmpty();
        if (found.isEmpty() && !control.isInterrupted() && control.take(Control.Wish.SKIP)) {
            evaluator.giveUp(known);
        }
        if (!answered && !control.isInterrupted()) {
            listener.note(which + ", has no answer either");
        }
        return answered;
    }

    private void tell(Told one, Engine engine) {
        journal.tell(one);
        engine.tell(one.trial().withConfiguration(one.configuration()), one.observation());
        listener.ended(one, evaluations);
    }

    /** Returns what was found until {@link #run} failed. */
    public SearchResult until(Engine engine, RuntimeException e) {
        ImmutableSearchResult.Builder found = ImmutableSearchResult.builder()
                .plan(plan)
                .evaluations(evaluations)
                .told(journal.told())
                .whyEnded(e instanceof SearchException ? ((SearchException) e).kept() : FAILED);
        try {
            found.best(engine.best()).state(engine.state());
        } catch (RuntimeException again) {
            // It is the engine that failed.
        }
        return found.build();
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
                .finished(
                        journal.told().size() >= evaluations || journal.ended().isPresent())
                .interrupted(interrupted)
                .build();
    }
}
