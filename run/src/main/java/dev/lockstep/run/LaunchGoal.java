package dev.lockstep.run;

import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.Verdict;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * How many launches a run makes: those that its plan asks for, and from one {@link RunPlan#looks look} to the next
 * more, as long as something is inconclusive that more launches could decide; another one for each that was left out;
 * and fewer once nothing can come of them. Used by one thread.
 */
final class LaunchGoal {
    private final RunPlan plan;
    private int launches;
    /** Why there are fewer; else null. */
    private String hopeless;
    /** Whether no launch is to follow those that are done. */
    private boolean ends;
    /** Whether there are fewer for that. */
    private boolean concluded;

    LaunchGoal(RunPlan plan) {
        this.plan = plan;
        launches = plan.launches();
    }

    /** Returns how many there are to be, as far as is known. */
    int launches() {
        return launches;
    }

    /** Returns why the run ends before its time, for people. */
    Optional<String> hopeless() {
        return Optional.ofNullable(hopeless);
    }

    /** Says whether the run ends before its time since that was asked for. */
    boolean isConcluded() {
        return concluded;
    }

    /** Has no launch follow those that are done; at least one is. */
    void conclude() {
        ends = true;
    }

    /**
     * Says whether launches would have followed, were it not for who ends the run.
     *
     * @param verdicts those of the launches done; asked for only where they matter
     */
    boolean lacks(int done, Supplier<List<Verdict>> verdicts) {
        return done < launches
                || hopeless == null && done < plan.mostLaunches() && LaunchVerdicts.isOpen(plan, verdicts.get());
    }

    /**
     * Says whether another launch follows.
     *
     * @param done how many are done
     * @param whyHopeless why nothing can come of more launches; asked for only after one
     * @param verdicts those of the launches done; asked for only where they matter
     * @param needed how many it takes since a target was not steady in some by accident; likewise
     */
    boolean goesOn(
            int done, Supplier<Optional<String>> whyHopeless, Supplier<List<Verdict>> verdicts, IntSupplier needed) {
        if (ends) {
            concluded = lacks(done, verdicts);
            launches = done;
            return false;
        }
        if (done > 0 && done < launches) {
            hopeless = whyHopeless.get().orElse(null);
            if (hopeless != null) {
                launches = done;
            }
        }
        if (done >= launches && launches < plan.mostLaunches()) {
            if (LaunchVerdicts.isOpen(plan, verdicts.get())) {
                launches = plan.looks().stream()
                        .filter(look -> look > launches)
                        .findFirst()
                        .orElseThrow();
            } else if (hopeless == null && whyHopeless.get().isEmpty()) {
                // All that were planned are made by now, so that none is missing for that reason.
                launches = Math.max(launches, Math.min(plan.mostLaunches(), needed.getAsInt()));
            }
        }
        return done < launches;
    }
}
