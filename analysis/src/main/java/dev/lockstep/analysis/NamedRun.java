package dev.lockstep.analysis;

import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.List;
import java.util.Optional;

/** A run beside others, and what it is called there. Immutable. */
public final class NamedRun {
    private final String directory;
    private final RunResult result;

    private NamedRun(String directory, RunResult result) {
        this.directory = directory;
        this.result = result;
    }

    /**
     * @param directory the run directory, as the user names it
     * @throws AnalysisException where this version does not know the metric that decided
     */
    public static NamedRun of(String directory, RunResult result) {
        try {
            LaunchVerdicts.primary(result);
        } catch (AnalysisException e) {
            throw new AnalysisException(directory + ": " + e.getMessage());
        }
        return new NamedRun(directory, result);
    }

    public String directory() {
        return directory;
    }

    public RunResult result() {
        return result;
    }

    Optional<TargetResult> target(String name) {
        return result.target(name);
    }

    /** Returns the launches of a target that count; none where the run has no such target. */
    List<LaunchResult> launches(String target) {
        return target(target).map(LaunchRatios.of(result)::whole).orElse(List.of());
    }

    @Override
    public String toString() {
        return directory;
    }
}
