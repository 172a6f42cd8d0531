package dev.lockstep.run;

import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.Verdict;
import java.util.List;
import java.util.function.Supplier;

/**
 * How many launches a run makes: those that its plan asks for, and from one {@link RunPlan#looks look} to the next
 * more, as long as something is inconclusive that more launches could decide. Used by one thread.
 */
final class LaunchGoal {
    private final RunPlan plan;
    private int launches;

    LaunchGoal(RunPlan plan) {
        this.plan = plan;
        launches = plan.launches();
    }

    /** Returns how many there are to be, as far as is known. */
    int launches() {
        return launches;
    }

    /**
     * Says whether another launch follows.
     *
     * @param done how many are done
     * @param verdicts those of the launches done; asked for only where they matter
     */
    boolean goesOn(int done, Supplier<List<Verdict>> verdicts) {
        if (done >= launches && launches < plan.mostLaunches() && LaunchVerdicts.isOpen(plan, verdicts.get())) {
            launches = plan.looks().stream()
                    .filter(look -> look > launches)
                    .findFirst()
                    .orElseThrow();
        }
        return done < launches;
    }
}
