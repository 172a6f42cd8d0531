package dev.lockstep.cli.targets;

import dev.lockstep.capture.Capture;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.command.Version;
import dev.lockstep.cli.options.BytesConverter;
import dev.lockstep.cli.options.DurationConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.KeyConverter;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetSchedule;
import dev.lockstep.run.RunConfig;
import dev.lockstep.run.RunPlanner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options that say what is compared and on which resources. Filled by picocli, then only read. */
@Heading("What to compare")
public final class TargetOptions {
    @Option(
            names = "--targets",
            paramLabel = "TARGETS",
            description = {
                "Targets, joined by commas (docs/targets.md):",
                "c2: a JVM profile (replay doctor lists them),",
                "graal@25: on that JDK,",
                "tuned=graal: another name,",
                "prod=[https://]HOST:PORT: a running server."
            })
    private String targets;

    @Option(
            names = "--targets-file",
            paramLabel = "FILE",
            description = "Describes your own applications as targets (YAML, docs/targets.md). Without --targets, "
                    + "all of them are compared.")
    private Path targetsFile;

    @Option(
            names = "--jvm-options",
            paramLabel = "[TARGET=]OPTIONS",
            preprocessor = AsItIs.class,
            converter = Stripped.class,
            description = "Adds JVM options to one target, or to all: 'graal=-Dgraal.TrivialInliningSize=21 "
                    + "-Xss1m'. May be repeated.")
    private List<String> jvmOptions = new ArrayList<>();

    @Option(
            names = "--memory",
            paramLabel = "AMOUNT",
            converter = BytesConverter.class,
            description = "Caps each target's whole process, for example 128m or 1g. Default: no cap.")
    private Long memoryBytes;

    @Option(
            names = "--cores",
            paramLabel = "SPLIT",
            description = "Processors of replayer and targets: 0/1-3, or replayer=0/c2=1/graal=2. Default: the "
                    + "first for the replayer, the others for the targets.")
    private String cores;

    @Option(
            names = "--schedule",
            paramLabel = "HOW",
            converter = ScheduleConverter.class,
            description = "together: all targets at once, each on its own processors. alternate: in turns, the "
                    + "others frozen. Default: together where processors suffice.")
    private TargetSchedule schedule;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Turns of each target with --schedule alternate. Default: an even number of turns of "
                    + "about 250 ms (docs/replaying.md).")
    private Integer rounds;

    @Option(
            names = "--ready-timeout",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            defaultValue = "60s",
            description =
                    "How long to wait until a target answers, started or running already. Default: ${DEFAULT-VALUE}.")
    private Duration readyTimeout;

    /** Returns what plans a run of these targets. */
    public RunPlanner planner(Capture capture, List<TargetSpec> specs, Cores split) {
        return new RunPlanner(capture, specs, split)
                .memoryLimitBytes(memoryBytes == null ? 0 : memoryBytes)
                .schedule(schedule)
                .rounds(rounds);
    }

    /** Whether an option names targets. */
    public boolean areNamed() {
        return targets != null || targetsFile != null;
    }

    /** Whether an option caps the memory of targets. */
    public boolean capMemory() {
        return memoryBytes != null;
    }

    /** Returns what carries a plan out, with the target application where a target needs it. */
    public RunConfig.Builder config(
            RunPlan plan, Capture capture, List<TargetSpec> specs, Cores split, JvmInventory inventory) {
        RunConfig.Builder config = RunConfig.builder(plan, capture, specs, split, inventory)
                .readyTimeout(readyTimeout)
                .version(Version.number());
        if (specs.stream()
                .anyMatch(
                        spec -> spec.attachAddress().isEmpty() && spec.command().isEmpty())) {
            config.targetCommand(Installation.locate().targetAppCommand());
        }
        return config;
    }

    /**
     * Returns the targets in the order given, each with its JVM options.
     *
     * @param otherwise the target where none is named, or null for none
     * @throws UsageException when there is none, or one is unknown or described wrongly
     */
    public List<TargetSpec> specs(String otherwise) {
        Map<String, Supplier<TargetSpec>> known = targetsFile == null ? Map.of() : TargetsFile.read(targetsFile);
        String named = targets == null && known.isEmpty() ? otherwise : targets;
        if (named == null && known.isEmpty()) {
            throw new UsageException("--targets is missing: say what to compare, for example --targets c2,graal");
        }
        List<TargetSpec> specs;
        try {
            specs = named == null
                    ? known.values().stream().map(Supplier::get).collect(Collectors.toList())
                    : TargetSpec.parseAll(named, known);
        } catch (IllegalArgumentException e) {
            throw new UsageException((targets == null ? "the URL: " : "--targets: ") + e.getMessage());
        }
        if (memoryBytes != null
                && specs.stream().allMatch(spec -> spec.attachAddress().isPresent())) {
            throw new UsageException("--memory: all targets run already and cannot be capped; start them with the cap,"
                    + " or leave it out");
        }
        requireOwnPorts(specs);
        for (String option : jvmOptions) {
            specs = withJvmOptions(specs, option);
        }
        return specs;
    }

    private static void requireOwnPorts(List<TargetSpec> specs) {
        Map<Integer, String> names = new HashMap<>();
        for (TargetSpec spec : specs) {
            spec.port().ifPresent(port -> {
                String other = names.putIfAbsent(port, spec.name());
                if (other != null) {
                    throw new UsageException("targets file: expected a port of its own for each target, found " + port
                            + " of " + other + " and " + spec.name() + "; with {port} in its command each gets a free"
                            + " one");
                }
            });
        }
    }

    /** Checks the options that need no file: wrong ones are told before anything is read or built. */
    public void check() {
        if (rounds != null && (rounds < 1 || rounds > RunPlanner.MOST_ROUNDS)) {
            throw new UsageException("--rounds: expected 1 to " + RunPlanner.MOST_ROUNDS + ", found " + rounds);
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
    public Cores split(List<TargetSpec> specs) {
        try {
            return Cores.planFor(cores, specs);
        } catch (IllegalArgumentException e) {
            // The option stands before what is wrong with the whole of its value, and not with a list in it.
            throw new UsageException((e.getMessage().startsWith("--cores ") ? "" : "--cores: ") + e.getMessage());
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
            words = ShellWords.split(forAll ? option : option.substring(equals + 1));
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

    /**
     * Has picocli take a JVM option that reads like one of ours with its value, as {@code -Dname=value} does beside
     * {@code -D}, for what it is: behind a blank it reads like none.
     */
    static final class AsItIs implements IParameterPreprocessor {
        @Override
        public boolean preprocess(
                Stack<String> words, CommandSpec command, ArgSpec option, Map<String, Object> information) {
            String word = words.isEmpty() ? "" : words.peek();
            if (word.length() > 2
                    && word.startsWith("-")
                    && command.posixOptionsMap().containsKey(word.charAt(1))) {
                words.push(" " + words.pop());
            }
            return false;
        }
    }

    /** Takes away the blank. */
    static final class Stripped implements ITypeConverter<String> {
        @Override
        public String convert(String value) {
            return value.strip();
        }
    }

    /** Reads the name of a schedule. */
    static final class ScheduleConverter extends KeyConverter<TargetSchedule> {
        ScheduleConverter() {
            super(TargetSchedule.values(), TargetSchedule::key);
        }
    }
}
