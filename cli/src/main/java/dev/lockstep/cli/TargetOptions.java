package dev.lockstep.cli;

import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.TargetPlan;
import dev.lockstep.measurement.TargetSchedule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** The options that say what is compared and on which resources. Filled by picocli, then only read. */
final class TargetOptions {
    /** So many turns of 2 s are three weeks. */
    static final int MOST_ROUNDS = 1_000_000;

    @Option(
            names = "--targets",
            paramLabel = "TARGETS",
            order = 1,
            description = "What to compare, joined by commas: a profile (c2, graal, openj9, zing, zero), with the JDK "
                    + "where it matters (graal@25), under a name of its own (tuned=graal), a server that runs already "
                    + "(prod=127.0.0.1:8080; with TLS: prod=https://127.0.0.1:8443), or a name of the targets file. "
                    + "replay doctor lists what is installed.")
    private String targets;

    @Option(
            names = "--targets-file",
            paramLabel = "FILE",
            order = 2,
            description = "Describes targets that are your own applications (YAML, see docs/targets.md). Without "
                    + "--targets all of its targets are compared.")
    private Path targetsFile;

    @Option(
            names = "--jvm-options",
            paramLabel = "[TARGET=]OPTIONS",
            order = 3,
            description = "Adds JVM options to one target, or to all: 'graal=-Dgraal.TrivialInliningSize=21 -Xss1m'. "
                    + "Words are split as in a shell. May be repeated.")
    private List<String> jvmOptions = new ArrayList<>();

    @Option(
            names = "--memory",
            paramLabel = "AMOUNT",
            converter = BytesConverter.class,
            order = 20,
            description = "Caps each target's whole process, for example 128m or 1g. Default: no cap.")
    private Long memoryBytes;

    @Option(
            names = "--cores",
            paramLabel = "SPLIT",
            order = 21,
            description = "Which processors the replayer and the targets get: REPLAYER/TARGETS such as 0/1-3, or "
                    + "replayer=0/c2=1/graal=2. Default: the first core to the replayer, the others to the targets.")
    private String cores;

    @Option(
            names = "--schedule",
            paramLabel = "HOW",
            converter = ScheduleConverter.class,
            order = 22,
            description = "together (all targets at the same time, each on its own processors) or alternate (in "
                    + "turns, the others frozen). Default: together where there are processors enough.")
    private TargetSchedule schedule;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            order = 23,
            description = "How many turns each target gets with --schedule alternate; many short ones for comparing "
                    + "CPU, few long ones for comparing tails of latency. Default: an even number of turns of about 2 s, "
                    + "of 10 s with --soak, and 4 where nobody knows how long the run will be.")
    private Integer rounds;

    @Option(
            names = "--ready-timeout",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            defaultValue = "60s",
            order = 24,
            description = "How long a target may take until it answers. Default: ${DEFAULT-VALUE}.")
    private Duration readyTimeout;

    /** Returns 0 where there is no cap. */
    long memoryBytes() {
        return memoryBytes == null ? 0 : memoryBytes;
    }

    /** Returns the schedule asked for; a number of rounds asks for alternation too. */
    Optional<TargetSchedule> schedule() {
        return schedule == null && rounds != null
                ? Optional.of(TargetSchedule.ALTERNATE)
                : Optional.ofNullable(schedule);
    }

    /** Returns the rounds asked for. */
    Optional<Integer> rounds() {
        return Optional.ofNullable(rounds);
    }

    Duration readyTimeout() {
        return readyTimeout;
    }

    /**
     * Returns the targets in the order given, each with its JVM options.
     *
     * @throws UsageException when there is none, or one is unknown or described wrongly
     */
    List<TargetSpec> specs() {
        Map<String, TargetSpec> known = targetsFile == null ? Map.of() : TargetsFile.read(targetsFile);
        if (targets == null && known.isEmpty()) {
            throw new UsageException("--targets is missing: say what to compare, for example --targets c2,graal");
        }
        List<TargetSpec> specs;
        try {
            specs = targets == null ? new ArrayList<>(known.values()) : TargetSpec.parseAll(targets, known);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--targets: " + e.getMessage());
        }
        if (memoryBytes != null
                && specs.stream().allMatch(spec -> spec.attachAddress().isPresent())) {
            throw new UsageException("--memory: all targets run already and cannot be capped; start them with the cap,"
                    + " or leave it out");
        }
        for (String option : jvmOptions) {
            specs = withJvmOptions(specs, option);
        }
        return specs;
    }

    /** Checks the options that need no file: wrong ones are told before anything is read or built. */
    void check() {
        if (rounds != null && (rounds < 1 || rounds > MOST_ROUNDS)) {
            throw new UsageException("--rounds: expected 1 to " + MOST_ROUNDS + ", found " + rounds);
        }
        if (rounds != null && schedule == TargetSchedule.TOGETHER) {
            throw new UsageException("--rounds goes with --schedule alternate, found together; leave one out");
        }
        if (memoryBytes != null && memoryBytes < TargetPlan.LEAST_MEMORY_BYTES) {
            throw new UsageException("--memory: expected at least "
                    + BytesConverter.print(TargetPlan.LEAST_MEMORY_BYTES) + ", found "
                    + BytesConverter.print(memoryBytes));
        }
        if (readyTimeout.isZero()) {
            throw new UsageException("--ready-timeout: expected a duration above 0, found 0");
        }
    }

    /** Returns how the processors are split between the replayer and these targets. */
    Cores split(List<TargetSpec> specs) {
        try {
            return Cores.plan(cores, specs.stream().map(TargetSpec::name).collect(Collectors.toList()));
        } catch (IllegalArgumentException e) {
            throw new UsageException("--cores: " + e.getMessage());
        }
    }

    private static List<TargetSpec> withJvmOptions(List<TargetSpec> specs, String option) {
        int equals = option.indexOf('=');
        boolean forAll = option.startsWith("-");
        if (!forAll && equals <= 0) {
            throw new UsageException(
                    "--jvm-options: expected TARGET=OPTIONS such as graal=-Xss1m, found '" + option + "'");
        }
        String name = forAll ? null : option.substring(0, equals);
        List<String> words;
        try {
            words = Words.split(forAll ? option : option.substring(equals + 1));
        } catch (IllegalArgumentException e) {
            throw new UsageException("--jvm-options: " + e.getMessage());
        }
        boolean used = false;
        List<TargetSpec> changed = new ArrayList<>();
        for (TargetSpec spec : specs) {
            boolean meant =
                    forAll ? spec.attachAddress().isEmpty() : spec.name().equals(name);
            if (meant && spec.attachAddress().isPresent()) {
                throw new UsageException("--jvm-options: target '" + name
                        + "' runs already and cannot be given options; start it with them");
            }
            used |= meant;
            changed.add(meant ? spec.withJvmOptions(words) : spec);
        }
        if (!used) {
            throw new UsageException("--jvm-options: "
                    + (forAll ? "no target is started by this run" : "no target is named '" + name + "'")
                    + "; the targets are "
                    + specs.stream().map(TargetSpec::name).collect(Collectors.joining(", ")));
        }
        return changed;
    }
}
