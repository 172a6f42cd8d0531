package dev.lockstep.search;

import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Evaluations of a search's best configuration and of the default, afresh and in turns: what the search itself saw of
 * the best was chosen among many for being good. Both change places from pair to pair. They are in the journal, so that
 * they go on after a kill. Immutable.
 */
public final class FreshPairs {
    private final List<Observation> best = new ArrayList<>();
    private final List<Observation> usual = new ArrayList<>();

    private FreshPairs(List<Observation> all) {
        for (int i = 0; i < all.size(); i++) {
            (isOfBest(i) ? best : usual).add(all.get(i));
        }
    }

    /** Of the first pair the default comes first, of the second the best, and so on. */
    private static boolean isOfBest(int index) {
        boolean isFirst = index % 2 == 0;
        boolean isOddPair = index / 2 % 2 == 1;
        return isFirst == isOddPair;
    }

    /**
     * Evaluates what the journal does not have yet. Of all that can be wished it heeds a skip, and refuses the rest.
     *
     * @param plan whose space has a default
     * @param pairs how many there are to be
     * @param evaluator is made when something is to be evaluated; closed here
     * @return absent where it was interrupted
     * @throws SearchException where the evaluator fails, or so many in a row have no answer that both have none; the
     *     same verification goes on from the journal
     */
    public static Optional<FreshPairs> evaluate(
            SearchPlan plan,
            Journal journal,
            Control control,
            Configuration best,
            int pairs,
            Supplier<Evaluator> evaluator) {
        Configuration usual = plan.space().defaults().orElseThrow();
        int before = journal.told().stream().mapToInt(Told::number).max().orElse(0);
        List<Told> unanswered = new ArrayList<>();
        control.refuse(Control.Wish.PAUSE, Control.Wish.CONCLUDE);
        Evaluator running = null;
        try {
            for (int i = journal.afresh(best).size(); i < 2 * pairs; i++) {
                Trial trial = isOfBest(i)
                        ? Trial.of(before + i + 1, best, Trial.Origin.MODEL)
                        : Trial.of(before + i + 1, usual, Trial.Origin.DEFAULT);
                control.take(Control.Wish.SKIP);
                running = running == null ? evaluator.get() : running;
                running.begin(trial);
                Optional<Told> found = running.next(control);
                if (found.isEmpty() && (control.isInterrupted() || !control.take(Control.Wish.SKIP))) {
                    return Optional.empty();
                }
                if (found.isEmpty()) {
                    running.giveUp(trial);
                }
                Told one =
                        found.orElseGet(() -> Told.of(trial, Evaluation.of(Observation.skipped("skipped on request"))));
                unanswered.add(one);
                Optional<SearchException> none = one.evaluation().unanswered();
                if (none.isPresent() && unanswered.size() == Search.MOST_UNANSWERED) {
                    throw none.get();
                }
                if (none.isEmpty() || i == 2 * pairs - 1) {
                    unanswered.forEach(each -> journal.afresh(best, each.trial(), each.observation()));
                    unanswered.clear();
                }
            }
        } finally {
            if (running != null) {
                running.close();
            }
        }
        return Optional.of(new FreshPairs(journal.afresh(best).subList(0, 2 * pairs)));
    }

    /** Returns what was observed of the best, pair by pair. */
    public List<Observation> best() {
        return List.copyOf(best);
    }

    /** Returns what was observed of the default, pair by pair. */
    public List<Observation> usual() {
        return List.copyOf(usual);
    }
}
