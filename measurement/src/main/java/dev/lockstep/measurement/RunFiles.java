package dev.lockstep.measurement;

import java.util.List;

/** The names of the files in a run directory. */
final class RunFiles {
    static final String PLAN = "plan.json";
    static final String RESULT = "run.json";
    static final String SUMMARY = "summary.csv";
    static final String TEMPORARY_SUFFIX = ".tmp";

    private static final List<String> PER_TARGET_SUFFIXES = List.of(".hlog", ".hgrm");

    private RunFiles() {}

    static String responseTimeLog(String target) {
        return target + ".hlog";
    }

    static String serviceTimeLog(String target) {
        return target + ".service.hlog";
    }

    static String generatorLagLog(String target) {
        return target + ".lag.hlog";
    }

    static String ownLagLog(String target) {
        return target + ".own-lag.hlog";
    }

    static String responseTimePercentiles(String target) {
        return target + ".hgrm";
    }

    static String serviceTimePercentiles(String target) {
        return target + ".service.hgrm";
    }

    /** What the target wrote to standard output and error; written by whoever starts it. */
    static String output(String target) {
        return target + ".log";
    }

    /** Says whether a file of this name in a run directory was written by an earlier run. */
    static boolean belongsToRun(String name) {
        return name.equals(PLAN)
                || name.equals(RESULT)
                || name.equals(SUMMARY)
                || name.endsWith(TEMPORARY_SUFFIX)
                || PER_TARGET_SUFFIXES.stream().anyMatch(name::endsWith);
    }
}
