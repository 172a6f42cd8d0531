package dev.lockstep.report;

import dev.lockstep.analysis.Decision;
import dev.lockstep.analysis.Metric;
import dev.lockstep.analysis.Starvation;
import dev.lockstep.measurement.Pace;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.TargetSchedule;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.Verdict.Finding;
import dev.lockstep.results.Warmup;
import dev.lockstep.results.directory.RunDirectoryReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The command worth typing after a run, with what it is for and about how long it takes. */
final class NextCommand {
    private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9_@%+=:,./^-]+");
    private static final String INDENT = "  ";
    private static final String GOES_ON = " \\";
    /** Stands in a plan's command for what can be secret. */
    private static final String SECRET = "***";

    private static final long SECOND_NS = 1_000_000_000;
    /** A guess of how long a target takes to be steady, where this run did not wait for that; as a dry run has it. */
    private static final long WARM_UP_NS = 40 * SECOND_NS;
    /** Of each launch of a verdict, where nobody says how long; a look has less. */
    private static final long FULL_LOAD_NS = 20 * SECOND_NS;
    /** Up to how long a verdict warms up, where nobody says how long; a look has less. */
    private static final long LIMIT_NS = 300 * SECOND_NS;
    /** Of each block of a verdict at least, where nobody says how long; a look has less. */
    private static final long LEAST_BLOCK_NS = 20 * SECOND_NS;
    /** Up to how many launches a verdict makes as long as it is inconclusive, where nobody says how many. */
    private static final int MOST_LAUNCHES = 12;
    /** How much longer launches get that differ too much. */
    private static final int LONGER = 4;
    /** How much of the limit of a warm-up is left for the measured pace. */
    private static final long PACED_NS = 5 * SECOND_NS;
    /** Of a target that failed. */
    private static final int LOG_LINES = 50;

    private static final String AWAY = " could not be reached in the end";
    private static final String LONGER_WARM_UP = "a longer warm-up, for this one ended at its limit";

    private static final String MEMORY = "--memory";
    private static final String WARM_UP = "--warmup";
    private static final String WARM_UP_LIMIT = "--warmup-limit";
    private static final long BYTES_PER_MIB = 1 << 20;

    private static final Duration LEAST_LIMIT = Duration.ofMillis(1);

    private final String why;
    private final List<String> words;

    /** @param words the program first */
    NextCommand(String why, List<String> words) {
        this.why = why;
        this.words = words;
    }

    /** Returns it; absent where no command asked for the run. */
    static Optional<NextCommand> after(RunResult result) {
        RunPlan plan = result.plan();
        if (plan.command().isEmpty()) {
            return Optional.empty();
        }
        Optional<NextCommand> next = afterAFullDisk(result).or(() -> afterAFailure(result));
        if (next.isPresent()) {
            return next;
        }
        boolean starved = result.targets().stream()
                .anyMatch(target -> Starvation.of(result, target).isPresent());
        boolean spoiled = isSpoiled(result);
        if (!result.statusReasons().isEmpty() || starved && (spoiled || launches(result) < Decision.FULL_PAIRS)) {
            next = Optional.of(onceMore(result));
        } else if (result.interrupted()) {
            next = Optional.of(new NextCommand("Next, the same to its end", plan.command()));
        } else if (plan.targets().size() > 1 && !plan.soak() && !spoiled) {
            next = plan.launches() > 1 && isUnsteady(result) ? ofUnsteady(result) : ofComparison(result);
        }
        return next.or(() -> everything(result, "Next, all figures"));
    }

    /** A limit that no machine keeps, and a warm-up that was too short, would lead to the same end. */
    private static NextCommand onceMore(RunResult result) {
        RunPlan plan = result.plan();
        boolean tooLow = isLimitTooLow(result);
        List<String> words = tooLow ? without(plan.command(), "--max-lag") : plan.command();
        String quiet = ", with " + (tooLow ? "the usual --max-lag and " : "") + "nothing else on this machine";
        if (isUnsteady(result) && plan.warmupLimit().isEmpty() && !hasRunning(plan) && words.contains(WARM_UP)) {
            return warmedUp(result, "Next, the same warmed up until it is steady" + quiet, words);
        }
        if (isLookAtLimit(result)) {
            return new NextCommand(
                    "Next, the same with " + LONGER_WARM_UP + quiet
                            + about(launchNs(result)
                                    + turns(plan) * plan.warmupLimit().get().toNanos()),
                    withLimit(plan, words));
        }
        return new NextCommand("Next, the same once more" + quiet + aboutTheSame(result), words);
    }

    /** Without a warm-up of a fixed time. */
    private static NextCommand warmedUp(RunResult result, String why, List<String> words) {
        RunPlan plan = result.plan();
        return new NextCommand(
                why + about(plan.launches() * (launchNs(result) + turns(plan) * WARM_UP_NS)), without(words, WARM_UP));
    }

    /** The disk that did not take all of this run would not take another one, nor may a report be read from it. */
    private static Optional<NextCommand> afterAFullDisk(RunResult result) {
        boolean isFull = result.targets().stream()
                .anyMatch(target -> target.intervalsLost().orElse(0) > 0);
        return isFull
                ? result.directory()
                        .map(directory -> new NextCommand(
                                "Next, room on the disk, which did not take all of this run",
                                List.of("df", "-h", directory)))
                : Optional.empty();
    }

    /**
     * Of the first target that died, else of the first that was away in the end or answered no request well: the same
     * again would wait for it, or show the same.
     */
    private static Optional<NextCommand> afterAFailure(RunResult result) {
        if (result.directory().isEmpty()) {
            return Optional.empty();
        }
        for (TargetResult target : result.targets()) {
            if (target.exit().isPresent()) {
                return Optional.of(afterADeath(result, target, target.exit().get()));
            }
        }
        Headlines headlines = new Headlines(result);
        for (TargetResult target : result.targets()) {
            Optional<String> away = away(result, target);
            if (away.isPresent() || !result.interrupted() && headlines.isMute(target)) {
                String how = away.orElse(Headlines.MUTE);
                int launch = away.isPresent() ? last(target) : first(target, one -> !one.isMeasured());
                return planned(result, target).address().isEmpty()
                        ? Optional.of(log(result, target, how, launch))
                        : everything(
                                result, "Next, what failed of " + Figures.printable(target.name()) + ", which" + how);
            }
        }
        return Optional.empty();
    }

    /** Its log; of one that got too little memory, twice as much. A soak looks for leaks, which any memory ends. */
    private static NextCommand afterADeath(RunResult result, TargetResult target, TargetExit exit) {
        List<String> words = result.plan().command();
        OptionalLong memoryBytes = planned(result, target).memoryLimitBytes();
        if (exit.oomKilled()
                && memoryBytes.isPresent()
                && words.contains(MEMORY)
                && !result.plan().soak()) {
            return new NextCommand(
                    "Next, twice the memory, for want of which " + Figures.printable(target.name()) + " was killed"
                            + aboutTheSame(result),
                    with(without(words, MEMORY), MEMORY, 2 * memoryBytes.getAsLong() / BYTES_PER_MIB + "m"));
        }
        return log(result, target, " died" + TargetBlock.exitCode(exit, " with "), first(target, launch -> launch.exit()
                .isPresent()));
    }

    /** Returns the number of the first launch of which that is so; 1 where it is so of none. */
    private static int first(TargetResult target, Predicate<LaunchResult> which) {
        return target.launches().stream()
                .filter(which)
                .mapToInt(LaunchResult::launch)
                .findFirst()
                .orElse(1);
    }

    private static int last(TargetResult target) {
        return target.launches().stream().mapToInt(LaunchResult::launch).max().orElse(1);
    }

    /**
     * @param how it failed
     * @param launch in which it did
     */
    private static NextCommand log(RunResult result, TargetResult target, String how, int launch) {
        return new NextCommand(
                "Next, the log of " + Figures.printable(target.name()) + ", which" + how,
                List.of(
                        "tail",
                        "-n",
                        Integer.toString(LOG_LINES),
                        result.directory().orElseThrow() + "/" + RunDirectoryReader.output(target.name(), launch)));
    }

    /**
     * Returns how a target was away in the end, though its process lives: it answered no more, or was not ready in the
     * last launch. An outage that outlasts a launch has no end, and of several launches those of all are listed: where
     * the last one has answers, it was over by then.
     */
    private static Optional<String> away(RunResult result, TargetResult target) {
        List<LaunchResult> launches = target.launches();
        LaunchResult last = launches.isEmpty() ? null : launches.get(launches.size() - 1);
        if (last != null && !last.isMeasured() && !result.interrupted()) {
            return Optional.of(
                    planned(result, target).address().isPresent() ? AWAY : " was not ready in the last launch");
        }
        boolean answeredLast = launches.size() > 1
                && launches.stream()
                        .filter(LaunchResult::isMeasured)
                        .reduce((one, later) -> later)
                        .filter(one -> one.completed() > 0)
                        .isPresent();
        return !answeredLast
                        && target.outages().stream()
                                .anyMatch(outage -> outage.toNs().isEmpty())
                ? Optional.of(AWAY)
                : Optional.empty();
    }

    private static TargetPlan planned(RunResult result, TargetResult target) {
        return result.plan().targets().stream()
                .filter(planned -> planned.name().equals(target.name()))
                .findFirst()
                .orElseThrow();
    }

    /** Whether Lockstep was later than a limit that no machine keeps: the same limit would say the same again. */
    private static boolean isLimitTooLow(RunResult result) {
        return !result.latenessReasons().isEmpty()
                && result.plan()
                        .maxLag()
                        .filter(limit -> limit.compareTo(LEAST_LIMIT) < 0)
                        .isPresent();
    }

    /** Those that decide: what a second instance of the baseline shows is noise, and asks for nothing. */
    private static List<Verdict> primary(RunResult result) {
        return result.verdicts().stream()
                .filter(verdict -> verdict.primary() && !result.plan().isSameAsBaseline(verdict.target()))
                .collect(Collectors.toList());
    }

    /**
     * Whether nothing can be said by the primary metric of any target, which no more launches change; what was not
     * steady may become it.
     */
    private static boolean isSpoiled(RunResult result) {
        VerdictLines lines = new VerdictLines(result);
        List<Verdict> primary = primary(result);
        return !primary.isEmpty()
                && primary.stream()
                        .allMatch(verdict -> verdict.whyNot().isPresent() && verdict.finding() != Finding.NOT_STEADY
                                || lines.isAtLeast(verdict));
    }

    /** Whether no launch had the primary metric of two targets, as a percentile of too few requests. */
    private static boolean isWithoutPair(RunResult result) {
        List<Verdict> primary = primary(result);
        return !primary.isEmpty() && primary.stream().allMatch(verdict -> verdict.launches() == 0);
    }

    private static boolean isUnsteady(RunResult result) {
        return primary(result).stream().anyMatch(verdict -> verdict.finding() == Finding.NOT_STEADY);
    }

    /** The same with more time for what was not known to be steady: to become it, or to show it. */
    private static Optional<NextCommand> ofUnsteady(RunResult result) {
        RunPlan plan = result.plan();
        List<String> words = plan.command();
        if (plan.warmupLimit().isEmpty() && hasRunning(plan)) {
            // Whether a server that runs already is steady nobody knows: beside one, all warm up for a fixed time.
            long warmupNs = plan.warmup().toNanos();
            long longerNs = Math.max(WARM_UP_NS, LONGER * warmupNs);
            return Optional.of(new NextCommand(
                    "Next, the same with a longer warm-up"
                            + about(plan.launches() * (launchNs(result) + turns(plan) * (longerNs - warmupNs))),
                    with(without(words, WARM_UP), WARM_UP, longerNs / SECOND_NS + "s")));
        }
        if (plan.warmupLimit().isEmpty()) {
            return Optional.of(warmedUp(result, "Next, the same, warmed up until it is steady", words));
        }
        long limitNs = plan.warmupLimit().get().toNanos();
        if (isWarmUpOver(result)) {
            return Optional.of(new NextCommand(
                    "Next, " + LONGER_WARM_UP + about(plan.launches() * (launchNs(result) + turns(plan) * limitNs)),
                    withLimit(plan, words)));
        }
        boolean isNoisy = result.targets().stream().anyMatch(target -> target.warmup()
                .filter(warmup -> warmup.state() == Warmup.State.UNDECIDABLE)
                .isPresent());
        boolean hadFullLoad =
                result.targets().stream().allMatch(target -> target.fullLoad().isPresent());
        boolean compiles = result.targets().stream().anyMatch(Metric::compilesAtFullLoad);
        if ((isNoisy || compiles) && plan.fullLoad().isPresent() && hadFullLoad) {
            long fullLoadNs = plan.fullLoad().get().toNanos();
            return Optional.of(new NextCommand(
                    "Next, a longer full load, "
                            + (compiles ? "in which JITs come to rest" : "which shows smaller changes")
                            + about(plan.launches() * (launchNs(result) + turns(plan) * (LONGER - 1) * fullLoadNs)),
                    with(without(words, "--full-load"), "--full-load", LONGER * fullLoadNs / SECOND_NS + "s")));
        }
        if (isNoisy && plan.fullLoad().isEmpty()) {
            // Of a heated launch its heating tells, and beside the baseline full load, however long it is measured.
            return Optional.of(new NextCommand(
                    "Next, the same with full load, which shows smaller changes"
                            + about(plan.launches() * (launchNs(result) + turns(plan) * FULL_LOAD_NS)),
                    without(words, "--full-load")));
        }
        return Optional.of(longer(result, "which show more of a change"));
    }

    /** Whether a launch that is not known to be steady was warmed up as long as the limit of that allows. */
    private static boolean isWarmUpOver(RunResult result) {
        long limitNs = result.plan().warmupLimit().orElseThrow().toNanos();
        return result.targets().stream()
                .flatMap(target -> target.launches().stream())
                .anyMatch(launch -> warmUpNs(launch) >= limitNs - Math.min(PACED_NS, limitNs / 2));
    }

    /** Whether a look ended its warm-up at the limit of that. */
    private static boolean isLookAtLimit(RunResult result) {
        return result.plan().launches() == 1
                && isUnsteady(result)
                && result.plan().warmupLimit().isPresent()
                && isWarmUpOver(result);
    }

    /** Returns the words with twice the limit of the warm-up. */
    private static List<String> withLimit(RunPlan plan, List<String> words) {
        long limitNs = 2 * plan.warmupLimit().orElseThrow().toNanos();
        return with(without(words, WARM_UP_LIMIT), WARM_UP_LIMIT, Math.max(1, limitNs / SECOND_NS) + "s");
    }

    private static boolean hasRunning(RunPlan plan) {
        return plan.targets().stream().anyMatch(target -> target.address().isPresent());
    }

    /** Returns how long a launch that is not known to be steady was warmed up; 0 for one that is. */
    private static long warmUpNs(LaunchResult launch) {
        Optional<Warmup> warmup = launch.warmup().filter(found -> !found.isSteady());
        // Of one that was not steady the time is that of all its load.
        long measuredNs = warmup.filter(found -> found.state() == Warmup.State.NOT_STEADY)
                .map(found -> launch.measuredNs())
                .orElse(0L);
        return warmup.map(found -> found.durationNs().orElse(0) - measuredNs).orElse(0L);
    }

    /** The same with longer launches, of as many requests, or of a longer time, as there were. */
    private static NextCommand longer(RunResult result, String why) {
        RunPlan plan = result.plan();
        int launches = Math.max(1, launches(result));
        long measuredNs = result.baseline().measuredNs().orElse(0) / launches;
        long longer = Math.max(1, LONGER * measuredNs / SECOND_NS);
        // For a time, a closed loop would give a faster target more requests, which some metrics do not allow.
        List<String> length = plan.maxRequests().isPresent()
                ? List.of("-n", Long.toString(LONGER * plan.maxRequests().getAsLong()))
                : List.of("-z", longer + "s");
        return new NextCommand(
                "Next, longer " + (plan.runsInBlocks() ? "blocks" : "launches") + ", " + why
                        + about(Math.max(launches, plan.launches())
                                * (launchNs(result) + turns(plan) * (longer * SECOND_NS - measuredNs))),
                with(without(plan.command(), "-z", "-n"), length.toArray(new String[0])));
    }

    private static Optional<NextCommand> ofComparison(RunResult result) {
        RunPlan plan = result.plan();
        List<String> words = plan.command();
        int launches = launches(result);
        if (launches < Decision.FULL_PAIRS && launches > 1 && isWithoutPair(result)) {
            return Optional.of(longer(result, "for none had figures of both"));
        }
        if (launches < Decision.FULL_PAIRS) {
            return Optional.of(verdict(result));
        }
        int more = primary(result).stream()
                .filter(verdict -> verdict.finding() == Finding.INCONCLUSIVE)
                .mapToInt(verdict -> verdict.moreLaunches().orElse(0))
                .max()
                .orElse(0);
        if (more >= Decision.MOST_MORE_PAIRS) {
            return Optional.of(longer(result, "for these differ too much"));
        }
        if (more > 0) {
            int all = launches + more;
            return Optional.of(new NextCommand(
                    "Next, as many " + (plan.runsInBlocks() ? "blocks" : "launches") + " as would probably decide"
                            + about(all * launchNs(result)),
                    with(
                            without(words, "--launches", "--verdict", "--max-launches"),
                            "--verdict",
                            "--max-launches",
                            Integer.toString(all))));
        }
        boolean ownJvm =
                plan.targets().stream().anyMatch(target -> target.profile().isPresent());
        return ownJvm && plan.profileDuration().isEmpty()
                ? Optional.of(new NextCommand(
                        "Next, in which methods the CPU time goes"
                                + about(launchNs(result) + plan.targets().size() * WARM_UP_NS),
                        with(without(words, "--launches", "--verdict", "--max-launches"), "--profile")))
                : Optional.empty();
    }

    private static NextCommand verdict(RunResult result) {
        RunPlan plan = result.plan();
        List<String> words = plan.command();
        long launchNs = launchNs(result);
        boolean atLimit = isLookAtLimit(result);
        if (atLimit) {
            boolean isUsual = 2 * plan.warmupLimit().orElseThrow().toNanos() <= LIMIT_NS;
            words = isUsual ? without(words, WARM_UP_LIMIT) : withLimit(plan, words);
        }
        if (hasRunning(plan)) {
            // These are warmed up as they were.
            launchNs += longerBlockNs(result);
        } else {
            words = without(words, WARM_UP);
            launchNs += atLimit || plan.warmupLimit().isEmpty() ? turns(plan) * WARM_UP_NS : 0;
        }
        if (plan.fullLoad().isPresent() && !words.contains("--full-load")) {
            launchNs += turns(plan)
                    * Math.max(0, FULL_LOAD_NS - plan.fullLoad().get().toNanos());
        }
        int most = words.contains("--max-launches") ? plan.mostLaunches() : MOST_LAUNCHES;
        return new NextCommand(
                "Next, a verdict"
                        + (atLimit ? " with " + LONGER_WARM_UP : "")
                        + about(Decision.FULL_PAIRS * launchNs, most * launchNs),
                with(
                        without(words, "--verdict", "--launches", "--quick", "--profile", "--profile-duration"),
                        "--verdict"));
    }

    /**
     * Returns how much longer a block of a verdict on servers that run already takes than a launch of this run did: in
     * blocks targets take turns, and a capture that is too short for one, or of unknown length, goes round.
     */
    private static long longerBlockNs(RunResult result) {
        RunPlan plan = result.plan();
        long warmUpNs = plan.warmup().toNanos();
        long measuredNs = result.baseline().measuredNs().orElse(0) / Math.max(1, launches(result));
        boolean isAsked = plan.duration().isPresent() || plan.maxRequests().isPresent();
        boolean isKnown =
                plan.pace().equals(Pace.RECORDED) || plan.pace().ratePerSec().isPresent();
        long blockNs = isAsked ? measuredNs : isKnown ? Math.max(LEAST_BLOCK_NS, measuredNs) : LEAST_BLOCK_NS;
        int turns = plan.command().contains("--schedule")
                ? turns(plan)
                : plan.targets().size();
        return turns * (warmUpNs + blockNs) - turns(plan) * (warmUpNs + measuredNs);
    }

    private static Optional<NextCommand> everything(RunResult result, String why) {
        return result.directory()
                .map(directory -> new NextCommand(
                        why, List.of(result.plan().command().get(0), "report", "--output", "full", directory)));
    }

    private static int launches(RunResult result) {
        return result.targets().stream()
                .mapToInt(target -> target.launches().size())
                .max()
                .orElse(0);
    }

    private static long wallNs(RunResult result) {
        return Duration.between(result.startedAt(), result.finishedAt()).toNanos();
    }

    private static long launchNs(RunResult result) {
        return wallNs(result) / Math.max(1, launches(result));
    }

    /** Returns how many targets a launch loads one after the other. */
    private static int turns(RunPlan plan) {
        return plan.schedule() == TargetSchedule.ALTERNATE ? plan.targets().size() : 1;
    }

    /** Returns how long the same takes, which one that was cut short does not tell. */
    private static String aboutTheSame(RunResult result) {
        return result.interrupted() ? "" : about(wallNs(result));
    }

    private static String about(long ns) {
        return " (about " + time(ns) + ")";
    }

    /** @param mostNs how long it takes if it is inconclusive to the end */
    private static String about(long ns, long mostNs) {
        return mostNs > ns ? " (about " + time(ns) + ", up to " + time(mostNs) + ")" : about(ns);
    }

    private static String time(long ns) {
        long seconds = Math.max(1, ns / SECOND_NS);
        return seconds < 100
                ? seconds + " s"
                : seconds < 100 * 60 ? (seconds + 30) / 60 + " min" : (seconds + 1800) / 3600 + " h";
    }

    /** Returns the words without options and their values; the words have options and values apart. */
    private static List<String> without(List<String> words, String... options) {
        List<String> left = new ArrayList<>();
        boolean leftOut = false;
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            boolean isOption = word.startsWith("-") && word.length() > 1;
            boolean isLast = i == words.size() - 1;
            leftOut = Arrays.asList(options).contains(word) || leftOut && !isOption && !isLast;
            if (!leftOut) {
                left.add(word);
            }
        }
        return left;
    }

    /** Returns the words with more before the last one, which is the capture. */
    private static List<String> with(List<String> words, String... more) {
        List<String> all = new ArrayList<>(words);
        all.addAll(words.size() - 1, Arrays.asList(more));
        return all;
    }

    /** Returns the sentence before the command. */
    String why() {
        boolean lacks = words.stream().anyMatch(word -> word.contains(SECRET));
        return why + (lacks ? ", with your own in place of " + SECRET : "") + ":";
    }

    /** Returns the command as a shell takes it, indented; one that is too long for a line goes on in the next. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : words) {
            String quoted = quoted(word);
            if (line.length() > INDENT.length()
                    && line.length() + 1 + quoted.length() + GOES_ON.length() > Lines.WIDTH) {
                lines.add(line + GOES_ON);
                line.setLength(0);
                line.append(INDENT);
            }
            line.append(line.length() == 0 ? INDENT : line.length() == INDENT.length() ? INDENT : " ")
                    .append(quoted);
        }
        lines.add(line.toString());
        return lines;
    }

    private static String quoted(String word) {
        String plain = Figures.printable(word);
        return PLAIN_WORD.matcher(plain).matches() ? plain : "'" + plain.replace("'", "'\\''") + "'";
    }
}
