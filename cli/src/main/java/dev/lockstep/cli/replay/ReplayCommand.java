package dev.lockstep.cli.replay;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.CommandNames;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.cli.command.ReportFile;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.CaptureKeyOptions;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.PathConverter;
import dev.lockstep.cli.targets.Installation;
import dev.lockstep.cli.targets.TargetOptions;
import dev.lockstep.cli.targets.TargetTlsOptions;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.cli.terminal.OpeningProgress;
import dev.lockstep.cli.terminal.RunDisplay;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.exporter.Exporter;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.live.LiveView;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.replayer.rewriting.Rewrites;
import dev.lockstep.replayer.tls.TargetTls;
import dev.lockstep.report.Report;
import dev.lockstep.report.ReportFormat;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Output;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.directory.RunDirectoryWriter;
import dev.lockstep.run.Cancellation;
import dev.lockstep.run.ExpectedFailure;
import dev.lockstep.run.ReplayRun;
import dev.lockstep.run.RequestCensus;
import dev.lockstep.run.RunConfig;
import dev.lockstep.run.RunListener;
import dev.lockstep.run.RunOutcome;
import dev.lockstep.run.RunPlanner;
import dev.lockstep.run.WriteGuard;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code replay}: replays a capture to several targets and says how each served it. */
@Command(
        name = "replay",
        description = "Sends recorded HTTP and Thrift requests, byte for byte and on one schedule, to several "
                + "JVMs, and tells which one serves them better.",
        customSynopsis = {"replay [OPTIONS] CAPTURE|URL", "       replay COMMAND [OPTIONS] ..."},
        footer = {
            "  replay --targets c2,graal capture.bin                 once, as recorded",
            "  replay --targets c2,graal -z 30s -q 2000 capture.bin  2000 requests/s, 30 s",
            "  replay --targets c2,graal@25 -z 10s -c 50 --memory 256m capture.bin",
            "  replay --targets c2,graal -c 50 -z 10s http://localhost/users   one request",
            "  replay --targets c2,graal --verdict capture.bin       and decides",
            "  replay --targets c2,graal --quick --assert 'graal.p99 <= 20ms' capture.bin",
            "  replay --targets c2,graal --compare capture.bin       and compare answers",
            "  replay --targets c2,graal --profile capture.bin       and show hot methods",
            "  replay --targets c2,graal --soak 24h --memory 256m capture.bin",
            "  replay record --listen 127.0.0.1:8081 --upstream 127.0.0.1:8080 -o new.bin"
        },
        exitCodeList = {
            "0:Done, or ended early (Ctrl-C) with figures. A target that died once it was ready is a result.",
            "1:Failed, or a condition of --assert does not hold.",
            "2:Wrong command line or targets file.",
            "3:Done but INVALID, whatever --assert says."
        })
public final class ReplayCommand extends ToolCommand {
    private static final Path RUNS = Paths.get("lockstep-runs");
    /** What hey takes for -o. */
    private static final Path HEYS_FORMAT = Paths.get("csv");

    /** A pager may leave the result in its pipe for as long as somebody reads. */
    private static final Duration PIPE_GRACE = Duration.ofDays(365);

    private final Interruption interruption;
    private final UnaryOperator<RunConfig.Builder> adjust;

    @Parameters(
            arity = "0..1",
            paramLabel = "CAPTURE",
            description = "The capture file to replay; or a URL, of which one request is sent again and again, as hey "
                    + "and wrk do: to --targets with the URL's path and Host, without them to the URL's server. For "
                    + "10s over 50 connections, unless -z, -n, -c, -q or --pace say something else.")
    private String source;

    @Mixin
    private final TargetOptions targets = new TargetOptions();

    @Mixin
    private final LoadOptions load = new LoadOptions();

    @Mixin
    private final SoakOptions soak = new SoakOptions();

    @Mixin
    private final RewriteOptions rewriting = new RewriteOptions();

    @Mixin
    private final UrlOptions urls = new UrlOptions();

    @Heading("What to send")
    @Option(
            names = "--allow-truncated",
            description = "Replays the whole requests of a capture that a crash cut short.")
    private boolean allowTruncated;

    @Mixin
    private final WriteOptions writes = new WriteOptions();

    @Mixin
    private final LaunchOptions launches = new LaunchOptions();

    @Mixin
    private final VerdictOptions verdicts = new VerdictOptions();

    @Mixin
    private final CompareOptions compare = new CompareOptions();

    @Mixin
    private final ProfileOptions profile = new ProfileOptions();

    @Heading("Output")
    @Option(
            names = {"-o", "--directory"},
            paramLabel = "DIR",
            description = "Run directory: run.json, summary.csv, histograms, logs of the targets. Default: "
                    + "lockstep-runs/ with the time and the targets' names.")
    private Path runDirectory;

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Heading("Output")
    @Option(names = "--force", description = "Replaces the run in DIR if there is one.")
    private boolean force;

    @Heading("Output")
    @Option(
            names = "--json",
            description =
                    "Prints run.json on standard output and nothing else; with --dry-run the plan and the requests.")
    private boolean json;

    @Heading("Output")
    @Option(
            names = "--summary",
            paramLabel = "FILE",
            description = "Adds the answer and tables as GitHub shows Markdown to the end of this file: "
                    + "--summary $$GITHUB_STEP_SUMMARY.")
    private Path summary;

    @Mixin
    private final MetricsOptions metrics = new MetricsOptions();

    @Mixin
    private final LiveOptions live = new LiveOptions();

    @Mixin
    private final TargetTlsOptions targetTls = new TargetTlsOptions();

    @Mixin
    private final CaptureKeyOptions key = new CaptureKeyOptions();

    /**
     * @param interruption which ends the run
     * @param adjust changes the configuration of the run, in tests
     */
    public ReplayCommand(Interruption interruption, UnaryOperator<RunConfig.Builder> adjust) {
        this.interruption = interruption;
        this.adjust = adjust;
    }

    @Override
    public Integer call() {
        CommandNames.mistyped(
                        spec.commandLine(), spec.commandLine().getParseResult().originalArgs())
                .ifPresent(wrong -> {
                    throw new UsageException(wrong);
                });
        soak.addTo(load);
        UrlRequest url = url();
        Path path = url == null && source != null ? capturePath() : null;
        load.check();
        targets.check();
        verdicts.check();
        rewriting.check();
        if (HEYS_FORMAT.equals(runDirectory)) {
            throw new UsageException("-o: expected a run directory, found hey's csv; each run directory has a"
                    + " summary.csv, which report --csv prints; ./csv would be a directory");
        }
        if (force && runDirectory == null) {
            throw new UsageException(
                    "--force: expected -o DIR beside it, found none; a run without it has a directory of its own");
        }
        if (source == null) {
            throw new UsageException("the capture file is missing: replay --targets c2,graal capture.bin"
                    + (rewriting.host() == null || rewriting.host().isEmpty()
                            ? ""
                            : " (--rewrite-host took '" + rewriting.host()
                                    + "' for its host; without one, put another option behind it)"));
        }
        boolean printed = summary != null && ReportFile.isPrinted(Map.of("--summary", summary), json ? "--json" : null);
        if (summary != null
                && !printed
                && !canBeWritten(summary.toAbsolutePath().normalize())) {
            throw new UsageException("--summary: expected a file that can be written, found " + summary);
        }
        if (path != null && !Files.exists(path)) {
            checkIsMeantForAFile(path);
        }
        List<TargetSpec> specs = verdicts.with(targets.specs(url == null ? null : url.target()));
        TargetTls tls = targetTls.tls(specs);
        // The request to a URL has its headers from the start.
        Rewrites rewrites = rewriting.rewrites(url == null);
        compare.check(specs.size());
        launches.check(specs, soak.isOn());
        profile.check(specs, runDirectory == null ? RUNS : runDirectory);
        Cores cores = targets.split(specs);
        try (Capture capture = url == null ? open(path) : url.open()) {
            RunPlan plan = plan(capture, url == null ? path.toString() : url.shown(), specs, cores, rewrites);
            WriteGuard guard = new WriteGuard(plan, capture, specs);
            if (writes.dryRun()) {
                RequestCensus census =
                        RequestCensus.of(capture, plan.connections().isEmpty());
                PrintWriter out = spec.commandLine().getOut();
                if (json) {
                    PrintWriter utf8 = OutputWriter.utf8(out);
                    utf8.print(DryRunJson.of(plan, census, guard));
                    utf8.flush();
                } else {
                    DryRun.print(plan, capture, specs, census, guard, out);
                }
                return ExitCode.DONE;
            }
            RunConfig config;
            try {
                config = adjust.apply(config(plan, capture, specs, cores, rewrites, tls))
                        .build();
            } catch (IllegalArgumentException e) {
                throw new UsageException(e.getMessage());
            }
            TokenCommand login = rewriting.startLogin();
            try {
                return run(config, printed);
            } finally {
                if (login != null) {
                    login.close();
                }
            }
        }
    }

    /** Returns the request to the URL that stands in place of the capture, or null where none does. */
    private UrlRequest url() {
        if (source == null || !UrlOptions.isUrl(source)) {
            urls.checkNone(load.hasTimeout());
            return null;
        }
        if (allowTruncated || key.key() != null) {
            throw new UsageException((allowTruncated ? "--allow-truncated" : "--key-file and --key-env")
                    + ": expected a capture file, found a URL; leave it out");
        }
        load.url();
        return urls.request(source, rewriting.headers(), load.hasTimeout());
    }

    /** Tells what else may be meant where the argument is the path of no file. */
    private void checkIsMeantForAFile(Path path) {
        // A mistake in the name of a file leaves its folder right, one in a folder's the ending.
        if (UrlOptions.isWithoutScheme(source) && !source.endsWith(".bin") && !Files.exists(path.getName(0))) {
            throw new UsageException(
                    "CAPTURE: expected a capture file or a URL, found an address without http://; did you mean "
                            + UrlOptions.withoutSecrets("http://" + source) + "?");
        }
        if (targets.areNamed()) {
            return;
        }
        if (source.contains(".") || source.contains("/")) {
            throw new CaptureException(path, "no such file; a capture is made by \"replay record\"");
        }
        throw new UsageException("'" + source
                + "': expected a command, a capture file or a URL, found none of them; the commands are "
                + String.join(", ", spec.subcommands().keySet()));
    }

    private Path capturePath() {
        try {
            return new PathConverter().convert(source);
        } catch (TypeConversionException e) {
            throw new UsageException("CAPTURE: " + e.getMessage());
        }
    }

    private Capture open(Path path) {
        OpenOptions options =
                OpenOptions.defaults().allowTruncated(allowTruncated).encryption(key.key());
        return OpeningProgress.open(path, options, spec.commandLine().getErr());
    }

    private RunConfig.Builder config(
            RunPlan plan, Capture capture, List<TargetSpec> specs, Cores cores, Rewrites rewrites, TargetTls tls) {
        JvmInventory inventory = JvmInventory.discover(Installation.locate().graalJars());
        return targets.config(plan, capture, specs, cores, inventory)
                .tls(tls)
                .rewrites(rewrites)
                .ignoredHeaders(compare.ignoredHeaders())
                .learnsNoise(compare.learnsNoise())
                .keepsBodies(compare.keepsBodies())
                .conditions(verdicts.conditions(plan))
                .fleet(verdicts.fleet())
                .statusWindow(soak.statusWindow())
                .listenerGrace(PIPE_GRACE)
                .summary(result -> Report.of(result).as(ReportFormat.CSV));
    }

    /** @param printed whether the summary is all that is printed */
    private int run(RunConfig config, boolean printed) {
        PrintWriter err = spec.commandLine().getErr();
        PrintWriter out = spec.commandLine().getOut();
        Cancellation cancellation = new Cancellation();
        interruption.onRequest(cancellation::cancel);
        try (Exporter prometheus = metrics.launch(config.plan(), err);
                Exporter otlp = metrics.launchOtlp(config.plan(), err);
                LiveView view = live.launch(config.plan(), cancellation, err);
                RunDirectoryWriter directory = directory(config.plan());
                RunDisplay display =
                        RunDisplay.of(config.plan(), err, printed ? new PrintWriter(Writer.nullWriter()) : out, json)) {
            List<RunListener> listeners = new ArrayList<>(List.of(display));
            Stream.of(Optional.ofNullable(prometheus), Optional.ofNullable(otlp))
                    .flatMap(Optional::stream)
                    .forEach(exporter -> {
                        directory.alsoTo(exporter);
                        listeners.add(new RunPublisher(exporter));
                    });
            if (view != null) {
                listeners.add(view.listener(directory.directory()));
            }
            RunOutcome outcome = ReplayRun.run(config, directory, listeners, cancellation);
            if (json || printed || !showsScreen(config.plan())) {
                // Nothing else may say why the exit code is 1.
                outcome.result().assertions().stream()
                        .filter(one -> !one.holds())
                        .forEach(one -> err.println(Terminal.printable(one.sentence())));
                err.println("run directory: "
                        + Terminal.printable(directory.directory().toString()));
                err.flush();
            }
            List<Throwable> failures = new ArrayList<>(outcome.listenerFailures());
            outcome.failure().ifPresent(failures::add);
            try {
                Path page = directory.page(ReportCommand.page(outcome.result(), directory.directory()));
                if (view != null) {
                    view.showReport(outcome.result(), page);
                }
            } catch (MeasurementException e) {
                // The result stands in its own files; a full disk costs the page alone, which report --html makes anew.
                failures.add(e);
            }
            if (summary != null) {
                try {
                    ReportFile.append(summary, Report.of(outcome.result()).as(ReportFormat.MARKDOWN), out);
                } catch (CliException e) {
                    failures.add(e);
                }
            }
            failures.forEach(failure -> tell(failure, err));
            return failures.isEmpty() ? exitCode(outcome.result()) : ExitCode.FAILED;
        } finally {
            interruption.onRequest(() -> {});
        }
    }

    /** Whether the text that is printed names the run directory. */
    private static boolean showsScreen(RunPlan plan) {
        return plan.output().equals(Optional.of(Output.BOTH)) || plan.output().equals(Optional.of(Output.SHORT));
    }

    /** Prints why Lockstep failed although there is a result. */
    private static void tell(Throwable failure, PrintWriter err) {
        if (ExpectedFailure.isExpected(failure)) {
            Terminal.error(err, failure.getMessage());
        } else {
            // A defect of ours, which takes the whole trace to mend.
            failure.printStackTrace(err);
            err.flush();
        }
    }

    private boolean canBeWritten(Path file) {
        if (Files.exists(file)) {
            return Files.isWritable(file) && !Files.isDirectory(file);
        }
        Path folder = file.getParent();
        if (runDirectory != null && runDirectory.toAbsolutePath().normalize().equals(folder)) {
            return true; // made by then
        }
        return folder != null && Files.isDirectory(folder) && Files.isWritable(folder);
    }

    /** @param shown the capture's name, or the URL without what may be secret */
    private RunPlan plan(Capture capture, String shown, List<TargetSpec> specs, Cores cores, Rewrites rewrites) {
        try {
            RunPlan.Builder asked = RunPlan.builder();
            boolean started =
                    specs.stream().allMatch(spec -> spec.attachAddress().isEmpty());
            load.addTo(asked, started, launches.count() == 1);
            launches.addTo(asked);
            RunPlan plan = targets.planner(capture, specs, cores).plan(asked);
            RunPlan.Builder builder = plan.toBuilder()
                    .capture(CaptureReference.builder()
                            .from(plan.capture())
                            .path(shown)
                            .build())
                    .allowWrites(writes.allowWrites())
                    .keepDeadlines(rewriting.keepsDeadlines())
                    .compare(compare.isOn())
                    .output(output.output().orElse(Output.BOTH))
                    .command(CommandWords.of(spec.commandLine().getParseResult(), shown));
            load.limitLook(builder, plan);
            profile.addTo(builder);
            verdicts.addTo(builder, specs);
            if (rewrites != null) {
                rewrites.options().forEach(builder::rewrite);
            }
            plan = builder.build();
            // What the capture does not allow is told before a target starts.
            RunPlanner.check(plan, capture, rewrites);
            return plan;
        } catch (IllegalArgumentException e) {
            // Options that are right one by one and not together, or in no run.
            throw new UsageException(e.getMessage());
        }
    }

    private RunDirectoryWriter directory(RunPlan plan) {
        if (runDirectory != null) {
            return RunDirectoryWriter.create(runDirectory, force);
        }
        List<String> names = plan.targets().stream().map(TargetPlan::name).collect(Collectors.toList());
        return RunDirectoryWriter.createDefault(RUNS, OffsetDateTime.now(), names);
    }

    /** A target that died once it was ready is a result, with figures or without; one that never was ready is not. */
    static int exitCode(RunResult result) {
        // A run that was ended early may have had no turn for some targets.
        if (!result.interrupted() && !result.targets().stream().allMatch(ReplayCommand::isResult)) {
            return ExitCode.FAILED;
        }
        if (result.status() == RunStatus.INVALID) {
            // Figures that must not be trusted prove no condition right or wrong.
            return ExitCode.INVALID;
        }
        return result.assertions().stream().allMatch(AssertionResult::holds) ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static boolean isResult(TargetResult target) {
        boolean diedAfterItWasReady =
                target.exit().isPresent() && target.startupNs().isPresent();
        return target.counts().isPresent() || diedAfterItWasReady;
    }
}
