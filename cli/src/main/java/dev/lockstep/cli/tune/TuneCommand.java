package dev.lockstep.cli.tune;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.ReportFile;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.CaptureKeyOptions;
import dev.lockstep.cli.options.DurationConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.KeyConverter;
import dev.lockstep.cli.replay.LiveOptions;
import dev.lockstep.cli.replay.LoadOptions;
import dev.lockstep.cli.targets.Installation;
import dev.lockstep.cli.targets.TargetOptions;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.cli.terminal.OpeningProgress;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.run.RunConfig;
import dev.lockstep.search.Best;
import dev.lockstep.search.Control;
import dev.lockstep.search.Engine;
import dev.lockstep.search.Journal;
import dev.lockstep.search.Search;
import dev.lockstep.search.SearchException;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SpaceException;
import dev.lockstep.search.SpaceFile;
import dev.lockstep.search.Verification;
import dev.lockstep.search.WatchJournal;
import dev.lockstep.tuner.Configuration;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tune}: searches a space for better parameters, by JVMs under a capture's load or by a program. */
@Command(
        name = "tune",
        header = "Searches for better parameters, such as JVM flags.",
        description = "Searches a space of parameters for the best configuration (docs/tuning.md): each is loaded with "
                + "the capture beside a control that stays as it is, and the best is verified afresh. Killed at any "
                + "time, the same command goes on.",
        footer = {
            "  replay tune --space graal-inlining capture.bin",
            "  replay tune --space c2-inlining --dry-run capture.bin",
            "  replay tune tune.yaml --targets graal,c2 capture.bin",
            "  replay tune tune.yaml --evaluate 'exec:./deploy-and-measure' -o search",
            "  replay tune --space c2-inlining --watch captures",
            "  replay tune --control lockstep-tuning/graal-inlining pause"
        },
        exitCodeList = {
            "0:Done, whatever was found.",
            "1:Failed, or interrupted: the same command goes on.",
            "2:Wrong command line or space.",
            "3:The verification is INVALID."
        })
public final class TuneCommand extends ToolCommand {
    private static final Path SEARCHES = Paths.get("lockstep-tuning");
    private static final String EXEC = "exec:";
    /** The options that a watch holds for the best. */
    private static final String BEST = "best.txt";

    private static final Duration WATCH_EVERY = Duration.ofSeconds(10);
    private static final int MOST_EVALUATIONS = 10_000;

    private final Interruption interruption;
    private final UnaryOperator<RunConfig.Builder> adjust;

    @Parameters(
            arity = "0..2",
            paramLabel = "[SPACE] [CAPTURE]",
            description = "The space file, unless --space names one of Lockstep's own; the capture, unless --evaluate "
                    + "names a program. With --control: pause, resume, skip or conclude.")
    private List<String> words = new ArrayList<>();

    @Heading("What to search")
    @Option(
            names = "--space",
            paramLabel = "NAME",
            description = "One of Lockstep's own spaces: graal-inlining, graal-all, c2-inlining, gc, heap, memory-cap, "
                    + "openj9.")
    private String space;

    @Heading("What to search")
    @Option(
            names = "--objective",
            paramLabel = "METRIC",
            description =
                    "The metric that decides (docs/comparing.md), or two with a comma: a Pareto front. Default: what "
                            + "the space says, else fullLoadCpuPerRequest or steadyCpuPerRequest.")
    private String objective;

    @Heading("What to search")
    @Option(
            names = "--evaluations",
            paramLabel = "N",
            description = "How many configurations are tried, in all. Default: what the space says, else 40.")
    private Integer evaluations;

    @Heading("What to search")
    @Option(names = "--add-evaluations", paramLabel = "N", description = "Adds so many to a search that is finished.")
    private Integer added;

    @Heading("What to search")
    @Option(
            names = "--time-budget",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Begins no further evaluation after so long. Default: what the space says, else none.")
    private Duration timeBudget;

    @Heading("What to search")
    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Two searches with the same seed and the same values try the same. Default: what the space "
                    + "says, else 1.")
    private Long seed;

    @Heading("What to search")
    @Option(
            names = "--no-early-stop",
            description = "Measures to its end what is surely worse than the best known, too.")
    private boolean noEarlyStop;

    @Heading("What to search")
    @Option(
            names = "--verify",
            paramLabel = "HOW",
            converter = EffortConverter.class,
            defaultValue = "verdict",
            description =
                    "How the best is compared with the default in the end: verdict, quick (three launches: a hint) "
                            + "or none. Default: ${DEFAULT-VALUE}.")
    private Verifier.Effort effort;

    @Heading("What to search")
    @Option(
            names = "--verify-again",
            description = "Verifies once more what was not steady or inconclusive, as on a quieter machine; what was "
                    + "decided stays.")
    private boolean verifyAgain;

    @Heading("What to search")
    @Option(
            names = "--dry-run",
            description = "Evaluates nothing: says what would be tried, how long that takes, and what the JVM makes of "
                    + "the flags.")
    private boolean dryRun;

    @Heading("What to search")
    @Option(
            names = "--watch",
            paramLabel = "DIR",
            description = "Takes new captures of DIR as they come, and tunes again where the best no longer holds.")
    private Path watch;

    @Heading("Programs")
    @Option(
            names = "--evaluate",
            paramLabel = "exec:COMMAND",
            description = "Hands each configuration to a program, which is started once and answers a line of JSON by "
                    + "a line.")
    private String evaluate;

    @Heading("Programs")
    @Option(
            names = "--engine",
            paramLabel = "exec:COMMAND",
            description = "Has a program choose the configurations, such as an optimiser of another library.")
    private String engine;

    @Heading("Programs")
    @Option(
            names = "--parallel",
            paramLabel = "N",
            description = "How many configurations the program of --evaluate has at a time; it answers in any order. "
                    + "Default: 1.")
    private Integer parallel;

    @Heading("Programs")
    @Option(
            names = "--evaluation-limit",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "A configuration that the program of --evaluate takes longer for has failed. Default: none.")
    private Duration evaluationLimit;

    @Heading("Programs")
    @Option(
            names = "--verify-evaluations",
            paramLabel = "N",
            description = "Compares the best with the default afresh in the end, by so many evaluations of each, in "
                    + "turns. Default: not at all.")
    private Integer verifyEvaluations;

    @Mixin
    private final TargetOptions targets = new TargetOptions();

    @Mixin
    private final LoadOptions load = new LoadOptions();

    @Heading("What to send")
    @Option(
            names = "--allow-truncated",
            description = "Replays the whole requests of a capture that a crash cut short.")
    private boolean allowTruncated;

    @Heading("Output")
    @Option(
            names = {"-o", "--directory"},
            paramLabel = "DIR",
            description = "The directory of the search, with its journal. Default: lockstep-tuning/ with the space's "
                    + "name.")
    private Path directory;

    @Heading("Output")
    @Option(
            names = "--force",
            description =
                    "Begins anew where DIR has a finished search, another one or a journal that cannot be read. An "
                            + "unfinished one goes on.")
    private boolean force;

    @Heading("Output")
    @Option(names = "--json", description = "Prints the result on standard output as JSON and nothing else.")
    private boolean json;

    @Heading("Output")
    @Option(
            names = "--control",
            paramLabel = "DIR",
            description = "Tells the search that runs in DIR to pause, resume, skip this evaluation, or conclude.")
    private Path control;

    @Mixin
    private final LiveOptions live = new LiveOptions();

    @Mixin
    private final CaptureKeyOptions key = new CaptureKeyOptions();

    /**
     * @param interruption which ends the search, to go on another time
     * @param adjust changes the configuration of runs, in tests
     */
    public TuneCommand(Interruption interruption, UnaryOperator<RunConfig.Builder> adjust) {
        this.interruption = interruption;
        this.adjust = adjust;
    }

    @Override
    public Integer call() {
        if (control != null) {
            return control();
        }
        check();
        SearchPlan plan = plan();
        if (evaluate != null) {
            checkEngine(plan);
            checkVerification(plan);
        }
        try {
            if (engine == null) {
                Search.requireModelled(plan.evaluations());
            }
            return watch != null ? watch(plan) : evaluate == null ? tuneJvms(plan) : tuneByProgram(plan);
        } catch (SpaceException e) {
            throw new UsageException(e.getMessage());
        }
    }

    // ---- what is asked for --------------------------------------------------------------------------------------

    private void check() {
        checkCount("--evaluations", evaluations);
        checkCount("--add-evaluations", added);
        checkCount("--parallel", parallel);
        if (parallel != null && parallel > 1 && evaluate == null) {
            throw new UsageException("--parallel: expected --evaluate, found a search with JVMs, which are measured one"
                    + " pair at a time");
        }
        if (verifyEvaluations != null
                && (evaluate == null || verifyEvaluations < 2 || verifyEvaluations > MOST_EVALUATIONS)) {
            throw new UsageException("--verify-evaluations: expected "
                    + (evaluate == null
                            ? "--evaluate, found a search with JVMs, whose --verify says how"
                            : "2 to " + MOST_EVALUATIONS + ", found " + verifyEvaluations));
        }
        if (timeBudget != null && timeBudget.isZero()) {
            throw new UsageException("--time-budget: expected a duration above 0, found 0");
        }
        if (evaluationLimit != null && (evaluate == null || evaluationLimit.isZero())) {
            throw new UsageException("--evaluation-limit: expected "
                    + (evaluate == null ? "--evaluate, found a search with JVMs" : "a duration above 0, found 0"));
        }
        if (verifyAgain && effort == Verifier.Effort.NONE) {
            throw new UsageException("--verify-again: expected --verify verdict or quick, found none");
        }
        program("--evaluate", evaluate);
        program("--engine", engine);
        if (evaluate != null) {
            checkNoneOfRuns();
        }
        if (watch != null) {
            checkWatch();
        }
        boolean hasCapture = evaluate == null && watch == null;
        int expected = (space == null ? 1 : 0) + (hasCapture ? 1 : 0);
        if (words.size() != expected) {
            List<String> names = new ArrayList<>();
            if (space == null) {
                names.add("a space file");
            }
            if (hasCapture) {
                names.add("a capture");
            }
            throw new UsageException("expected "
                    + (names.isEmpty()
                            ? "no argument beside --space and " + (watch == null ? "--evaluate" : "--watch")
                            : String.join(" and ", names))
                    + ", found " + (words.isEmpty() ? "none" : String.join(" ", words))
                    + (space == null ? "; --space NAME has " + String.join(", ", SpaceFile.builtIn()) : ""));
        }
    }

    /** @param plan with the objectives that count */
    private void checkEngine(SearchPlan plan) {
        if (engine != null && plan.hasTwoObjectives()) {
            throw new UsageException(
                    "--engine: expected one objective, found two, which only Lockstep's own optimiser weighs; leave one"
                            + " out");
        }
    }

    private void checkVerification(SearchPlan plan) {
        if (verifyEvaluations != null && plan.hasTwoObjectives()) {
            throw new UsageException("--verify-evaluations: expected one objective, found two; leave one out");
        }
        if (verifyEvaluations != null && plan.space().defaults().isEmpty()) {
            throw new UsageException("--verify-evaluations: expected a space in which each parameter has a default,"
                    + " with which the best is compared, found one without");
        }
    }

    private void checkWatch() {
        List<String> others = List.of(
                "--evaluate", "--engine", "--dry-run", "--add-evaluations", "--verify-again", "--live", "--json");
        refuse(others::contains, "none beside --watch, found one; leave it out");
        if (effort == Verifier.Effort.NONE) {
            throw new UsageException(
                    "--verify: expected verdict or quick beside --watch, which keeps what is confirmed,"
                            + " found none");
        }
    }

    private static void checkCount(String option, Integer count) {
        if (count != null && (count < 1 || count > MOST_EVALUATIONS)) {
            throw new UsageException(option + ": expected 1 to " + MOST_EVALUATIONS + ", found " + count);
        }
    }

    /** Refuses what concerns targets and their load where a program evaluates. */
    private void checkNoneOfRuns() {
        List<String> own = List.of(
                "--space",
                "--evaluations",
                "--add-evaluations",
                "--time-budget",
                "--seed",
                "--evaluate",
                "--engine",
                "--parallel",
                "--evaluation-limit",
                "--verify-evaluations",
                "--live",
                "-o",
                "--force",
                "--json");
        refuse(
                name -> !own.contains(name),
                "a search with JVMs, found --evaluate, whose program does all; leave one out");
    }

    /** @param expected in place of an option that is given and not wanted */
    private void refuse(Predicate<String> unwanted, String expected) {
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (unwanted.test(option.names()[0])) {
                throw new UsageException(option.names()[0] + ": expected " + expected);
            }
        }
    }

    /** Returns the command of an option, null where it is not given. */
    private static String program(String option, String value) {
        if (value == null) {
            return null;
        }
        if (!value.startsWith(EXEC) || value.substring(EXEC.length()).isBlank()) {
            throw new UsageException(option + ": expected exec:COMMAND, found '" + value + "'");
        }
        return value.substring(EXEC.length());
    }

    private SearchPlan plan() {
        SearchPlan plan;
        try {
            plan = space == null
                    ? SpaceFile.read(Paths.get(words.get(0)))
                    : SpaceFile.builtIn(space)
                            .orElseThrow(() -> new UsageException("--space: expected one of "
                                    + String.join(", ", SpaceFile.builtIn()) + ", found '" + space
                                    + "'; a space file is given without --space"));
        } catch (SpaceException e) {
            throw new UsageException(e.getMessage());
        }
        if (evaluations != null) {
            plan = plan.withEvaluations(evaluations);
        }
        if (timeBudget != null) {
            plan = plan.withTimeBudget(timeBudget);
        }
        if (noEarlyStop) {
            plan = plan.withoutEarlyStop();
        }
        return seed == null ? plan : plan.withSeed(seed);
    }

    /** Returns the search's directory, the same for the same command. */
    private Path directory() {
        if (directory != null) {
            return directory;
        }
        String name = space != null
                ? space
                : Paths.get(words.get(0)).getFileName().toString().replaceFirst("\\.[A-Za-z]+$", "");
        return SEARCHES.resolve(watch == null ? name : name + "-watch");
    }

    // ---- what is done -------------------------------------------------------------------------------------------

    private int control() {
        refuse(name -> !name.equals("--control"), "no other option beside --control, found one; leave it out");
        Control.Wish wish = words.size() == 1 ? Control.Wish.of(words.get(0)).orElse(null) : null;
        if (wish == null) {
            throw new UsageException("--control: expected one of " + Control.Wish.labels() + ", found "
                    + (words.isEmpty() ? "none" : "'" + String.join(" ", words) + "'"));
        }
        if (!Journal.isWritten(control)) {
            throw new CliException(control + ": expected a search that runs, found one that does not");
        }
        Control.of(control, () -> false).wish(wish);
        return ExitCode.DONE;
    }

    private SearchSession session() {
        return new SearchSession(
                spec,
                interruption,
                live,
                json,
                parallel == null ? 1 : parallel,
                added == null ? 0 : added,
                program("--engine", engine));
    }

    private int tuneByProgram(SearchPlan plan) {
        return new ProgramTuning(
                        session(),
                        program("--evaluate", evaluate),
                        Optional.ofNullable(evaluationLimit),
                        verifyEvaluations == null ? 0 : verifyEvaluations)
                .run(plan, directory(), force);
    }

    private int tuneJvms(SearchPlan asked) {
        List<TargetSpec> specs = specs(asked);
        try (Capture capture = open(Paths.get(words.get(words.size() - 1)))) {
            JvmSearch search = jvmSearch(asked, specs, capture);
            return dryRun
                    ? dryRun(search)
                    : new JvmTuning(session(), effort, verifyAgain).run(search, directory(), force).exitCode;
        }
    }

    private JvmSearch jvmSearch(SearchPlan asked, List<TargetSpec> specs, Capture capture) {
        JvmInventory inventory = JvmInventory.discover(Installation.locate().graalJars());
        specs.forEach(inventory::require);
        JvmSearch search = new JvmSearch(
                asked, objective, specs, capture, targets, load, inventory, effort != Verifier.Effort.NONE, adjust);
        if (watch != null && search.second().isPresent()) {
            throw new UsageException(
                    "--watch: expected one objective, which tells whether the best still holds, found two");
        }
        checkEngine(search.plan());
        return search;
    }

    private List<TargetSpec> specs(SearchPlan asked) {
        load.usual(asked.warmup(), asked.duration());
        load.check();
        targets.check();
        return targets.specs(asked.target().orElse(null));
    }

    private int watch(SearchPlan asked) {
        List<TargetSpec> specs = specs(asked);
        interruption.onRequest(() -> {});
        PrintWriter err = spec.commandLine().getErr();
        Consumer<String> notes = sentence -> {
            err.println(Terminal.printable(sentence));
            err.flush();
        };
        Path own = directory();
        String names = specs.stream().map(TargetSpec::name).collect(Collectors.joining(","));
        try (WatchJournal journal =
                WatchJournal.open(own, asked, Map.of("watch", names, "options", runOptions()), force)) {
            // It is for the watch; a search of it that was cut short goes on.
            force = false;
            new CaptureWatch(watch, own, journal, new WatchedTuning(asked, specs, own), notes).run(this::waits);
        }
        return ExitCode.DONE;
    }

    /** Returns a digest of the options that say what is compared, by what, and under which load. */
    private String runOptions() {
        Set<String> options = new TreeSet<>();
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            Class<?> declared = ((Field) option.userObject()).getDeclaringClass();
            if (declared == LoadOptions.class
                    || declared == TargetOptions.class
                    || option.names()[0].equals("--objective")) {
                options.add(option.names()[0] + option.originalStringValues());
            }
        }
        return Journal.digest(options.toString());
    }

    /** Waits between two looks at a watched folder; returns false at an interruption. */
    private boolean waits() {
        long untilNs = System.nanoTime() + WATCH_EVERY.toNanos();
        try {
            while (!interruption.isRequested() && System.nanoTime() - untilNs < 0) {
                Thread.sleep(100);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return !interruption.isRequested();
    }

    /** Tunes and checks with the options of this command. */
    private final class WatchedTuning implements CaptureWatch.Tuning {
        private final JvmTuning tuning = new JvmTuning(session(), effort, false);
        private final SearchPlan asked;
        private final List<TargetSpec> specs;
        private final Path own;

        WatchedTuning(SearchPlan asked, List<TargetSpec> specs, Path own) {
            this.asked = asked;
            this.specs = specs;
            this.own = own;
        }

        @Override
        public String sha256(Path path) {
            try (Capture capture = open(path)) {
                return capture.sha256();
            }
        }

        @Override
        public Optional<Verification> check(Path path, Configuration best) {
            try (Capture capture = open(path)) {
                JvmSearch search = jvmSearch(asked, specs, capture);
                Verifier verifier = new Verifier(search, effort, own);
                return verifier.run(best, List.of(tuning.quiet()), Control.of(own, interruption::isRequested))
                        .map(run -> {
                            Verifier.whyNothing(run, JvmTuning.TUNED_ONLY).ifPresent(why -> {
                                throw new CliException("whether the best still holds was not found: " + why);
                            });
                            return verifier.judge(best, run);
                        });
            }
        }

        @Override
        public Optional<CaptureWatch.Tuned> tune(Path path, Optional<Configuration> best, Path directory) {
            try (Capture capture = open(path)) {
                SearchPlan plan = best.map(asked::withConfiguration).orElse(asked);
                JvmSearch search = jvmSearch(plan, specs, capture);
                JvmTuning.Ended ended = tuning.run(search, directory, force);
                if (ended.exitCode == ExitCode.INVALID) {
                    throw new CliException("the verification tells nothing, see " + directory.resolve("verification"));
                }
                if (ended.result.interrupted()) {
                    return Optional.empty();
                }
                Optional<Verification> found = ended.result.verification();
                return Optional.of(new CaptureWatch.Tuned(
                        found.filter(Verification::holds)
                                .flatMap(held -> ended.result.best())
                                .map(Best::configuration),
                        found));
            }
        }

        @Override
        public void bestIs(Optional<Configuration> best) {
            Path file = own.resolve(BEST);
            if (best.isPresent()) {
                int jdk = JvmInventory.discover(Installation.locate().graalJars())
                        .featureVersion(specs.get(0))
                        .orElse(0);
                ReportFile.write(file, SearchSession.shell(asked.options(best.get(), jdk)) + "\n");
            } else {
                try {
                    Files.deleteIfExists(file);
                } catch (IOException e) {
                    throw new CliException(file + ": cannot be removed: " + SearchException.reason(e));
                }
            }
        }
    }

    private Capture open(Path path) {
        OpenOptions options =
                OpenOptions.defaults().allowTruncated(allowTruncated).encryption(key.key());
        return OpeningProgress.open(path, options, spec.commandLine().getErr());
    }

    private int dryRun(JvmSearch search) {
        SearchPlan plan = search.plan();
        try (Engine own = Search.engine(plan, plan.evaluations())) {
            new TuneDryRun(
                            search,
                            new Verifier(search, effort, directory()),
                            effort != Verifier.Effort.NONE,
                            spec.commandLine().getOut())
                    .print(own, plan.evaluations());
        }
        return ExitCode.DONE;
    }

    /** Reads how the best is verified. */
    static final class EffortConverter extends KeyConverter<Verifier.Effort> {
        EffortConverter() {
            super(Verifier.Effort.values(), Verifier.Effort::key);
        }
    }
}
