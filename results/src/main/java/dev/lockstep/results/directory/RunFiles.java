package dev.lockstep.results.directory;

import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/** The names of the files in a run directory, and what they have in common. */
final class RunFiles {
    static final String PLAN = "plan.json";
    static final String RESULT = "run.json";
    /** What every target did, interval by interval. */
    static final String INTERVALS = "intervals.jsonl";

    static final String SUMMARY = "summary.csv";
    /** The result as a page. */
    static final String PAGE = "report.html";
    /** What was known when the first launch was about to be measured; of use only for a run that was killed. */
    static final String BEGUN = "begun.json";
    /** Locked by whoever writes the directory. */
    static final String LOCK = "run.lock";

    /** A folder: what profilers need while they work; there is one only then, or where that was killed. */
    static final String PROFILING = "profile.tmp";

    /** Folders: what recoveries cut off, in files of the same names. */
    private static final Pattern TORN = Pattern.compile("run\\.torn(\\.[0-9]+)?");

    /** The ending is kept for it among the names of targets. */
    static final String SKEW_LOG = "run.skew.hlog";

    private static final String TEMPORARY_PREFIX = ".";
    private static final String TEMPORARY_SUFFIX = ".tmp";

    private static final List<String> PER_TARGET_SUFFIXES =
            List.of(".hlog", ".hgrm", ".differences.csv", ".bodies.jsonl", ".collapsed", ".flame.html", ".profile.log");

    /** What follows a target's name: the number of the launch, if it has several, and that of the rotated file. */
    private static final Pattern GC_LOG = Pattern.compile("(\\.[0-9]+)?\\.gc\\.log(\\.[0-9]+(\\.current)?)?");

    private RunFiles() {}

    /** Returns the folder of what was cut off the first time, the second and so on. */
    static String torn(int number) {
        return number == 1 ? "run.torn" : "run.torn." + number;
    }

    static String responseTimeLog(String target) {
        return target + ".hlog";
    }

    static String serviceTimeLog(String target) {
        return target + ".service.hlog";
    }

    static String generatorLagLog(String target) {
        return target + ".lag.hlog";
    }

    /**
     * The logs that have a histogram of each measured interval: response time, service time, generator's lag, in this
     * order.
     */
    static List<String> intervalLogs(String target) {
        return List.of(responseTimeLog(target), serviceTimeLog(target), generatorLagLog(target));
    }

    static String ownLagLog(String target) {
        return target + ".own-lag.hlog";
    }

    static String opaqueFirstByteLog(String target) {
        return target + ".opaque-first-byte.hlog";
    }

    static String opaqueLastByteLog(String target) {
        return target + ".opaque-last-byte.hlog";
    }

    static String responseTimePercentiles(String target) {
        return target + ".hgrm";
    }

    static String serviceTimePercentiles(String target) {
        return target + ".service.hgrm";
    }

    static String differences(String target) {
        return target + ".differences.csv";
    }

    /** What it and the baseline answered to some requests. */
    static String answers(String target) {
        return target + ".bodies.jsonl";
    }

    /** The stacks of its profile. */
    static String stacks(String target) {
        return target + ".collapsed";
    }

    static String flameGraph(String target) {
        return target + ".flame.html";
    }

    /** Its flame graph, coloured by the difference to the baseline's. */
    static String differentialFlameGraph(String target) {
        return target + ".diff.flame.html";
    }

    static boolean isFlameGraph(String name) {
        return name.endsWith(".flame.html");
    }

    /** What the target wrote when it could not be profiled. */
    static String profileOutput(String target) {
        return target + ".profile.log";
    }

    /**
     * What one launch of the target, counted from 1, wrote to standard output and error; written by whoever starts it.
     */
    static String output(String target, int launch) {
        return launch == 1 ? target + ".log" : target + "." + launch + ".log";
    }

    /** Says whether a file is the GC log of a target, or a rotated part of one; written by the target itself. */
    static boolean isGcLog(String name, String target) {
        return name.startsWith(target)
                && GC_LOG.matcher(name.substring(target.length())).matches();
    }

    /** The name under which a file is written before it has its own. */
    static String temporary(String name) {
        return TEMPORARY_PREFIX + name + TEMPORARY_SUFFIX;
    }

    /** Says whether a file of this name in a run directory was written by an earlier run of these targets. */
    static boolean belongsToRun(String name, Collection<String> targets) {
        return name.equals(PLAN)
                || name.equals(RESULT)
                || name.equals(SUMMARY)
                || name.equals(PAGE)
                || name.equals(BEGUN)
                || name.equals(LOCK)
                || name.equals(PROFILING)
                || TORN.matcher(name).matches()
                || Segments.isOf(name, INTERVALS)
                || name.equals(SKEW_LOG)
                || isTemporary(name)
                        && belongsToRun(
                                name.substring(TEMPORARY_PREFIX.length(), name.length() - TEMPORARY_SUFFIX.length()),
                                targets)
                || PER_TARGET_SUFFIXES.stream().anyMatch(name::endsWith)
                        && targets.stream().anyMatch(target -> name.startsWith(target + "."));
    }

    private static boolean isTemporary(String name) {
        return name.length() > TEMPORARY_PREFIX.length() + TEMPORARY_SUFFIX.length()
                && name.startsWith(TEMPORARY_PREFIX)
                && name.endsWith(TEMPORARY_SUFFIX);
    }
}
