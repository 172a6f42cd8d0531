package dev.lockstep.cli;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.exporter.MetricsExporter;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.AssertionResult;
import dev.lockstep.measurement.RunDirectoryWriter;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.RunStatus;
import dev.lockstep.measurement.TargetPlan;
import dev.lockstep.measurement.TargetResult;
import dev.lockstep.replayer.Rewrites;
import dev.lockstep.replayer.TargetTls;
import dev.lockstep.report.Report;
import dev.lockstep.report.ReportFormat;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code replay}: replays a capture to several targets and says how each served it. */
@Command(
        name = "replay",
        description =
                "Replays recorded HTTP and Thrift traffic, byte for byte and on one schedule, to several JVMs, and says which "
                        + "one serves it better.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  replay --targets c2,graal capture.bin                 once, as recorded",
            "  replay --targets c2,graal -z 30s -q 2000 capture.bin  2000 requests/s, 30 s",
            "  replay --targets c2,graal@25 -z 10s -c 50 --memory 128m capture.bin",
            "  replay --targets c2,graal --launches 6 capture.bin    and a verdict",
            "  replay --targets c2,graal --quick --assert 'graal.p99 <= 20ms' capture.bin",
            "  replay --targets c2,graal --compare capture.bin       and compare answers",
            "  replay --targets c2,graal --profile capture.bin       and show hot methods",
            "  replay --targets c2,graal --soak 24h --memory 128m capture.bin",
            "  replay record --listen 127.0.0.1:8081 --upstream 127.0.0.1:8080 -o new.bin",
            "Exit code: 0 done, 1 failed or a condition of --assert does not hold, 2 wrong command line or targets file, "
                    + "3 done but INVALID, whatever --assert says.",
            "A target that dies once it was ready, of lack of memory for example, is a result: 0 or 3; or 1 where --assert "
                    + "names it."
        })
final class ReplayCommand implements Callable<Integer> {
    private static final Path RUNS = Paths.get("lockstep-runs");

    private final Interruption interruption;

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "CAPTURE", description = "The capture file to replay.")
    private Path capturePath;

    @Mixin
    private final TargetOptions targets = new TargetOptions();

    @Mixin
    private final TargetTlsOptions targetTls = new TargetTlsOptions();

    @Mixin
    private final LoadOptions load = new LoadOptions();

    @Mixin
    private final SoakOptions soak = new SoakOptions();

    @Mixin
    private final WriteOptions writes = new WriteOptions();

    @Mixin
    private final RewriteOptions rewriting = new RewriteOptions();

    @Mixin
    private final LaunchOptions launches = new LaunchOptions();

    @Mixin
    private final CompareOptions compare = new CompareOptions();

    @Mixin
    private final VerdictOptions verdicts = new VerdictOptions();

    @Mixin
    private final MetricsOptions metrics = new MetricsOptions();

    @Mixin
    private final ProfileOptions profile = new ProfileOptions();

    @Mixin
    private final CaptureKeyOptions key = new CaptureKeyOptions();

    @Option(
            names = "--allow-truncated",
            order = 32,
            description = "Replay what is whole of a capture that a crash has cut short.")
    private boolean allowTruncated;

    @Option(
            names = "--json",
            order = 40,
            description =
                    "Print the result as the JSON of run.json, and nothing else, on standard output; with --dry-run "
                            + "the plan and which requests there are.")
    private boolean json;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "DIR",
            order = 41,
            description =
                    "The folder for run.json, summary.csv, histograms and target logs. Default: lockstep-runs/ with the time "
                            + "and the targets' names.")
    private Path output;

    @Option(names = "--force", order = 42, description = "Replace the run in DIR if there is one.")
    private boolean force;

    ReplayCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        soak.addTo(load);
        load.check();
        targets.check();
        verdicts.check();
        if (capturePath == null) {
            throw new UsageException("the capture file is missing: replay --targets c2,graal capture.bin"
                    + (rewriting.host() == null || rewriting.host().isEmpty()
                            ? ""
                            : " (--rewrite-host took '" + rewriting.host()
                                    + "' for its host; without one, put another option behind it)"));
        }
        List<TargetSpec> specs = verdicts.with(targets.specs());
        TargetTls tls = targetTls.tls(specs);
        Rewrites rewrites = rewriting.rewrites();
        compare.check(specs.size());
        launches.check(specs, soak.isOn());
        profile.check(specs, output == null ? RUNS : output);
        Cores cores = targets.split(specs);
        try (Capture capture = open()) {
            CaptureContent content = new CaptureContent(capture);
            RunPlan plan = plan(capture, content, specs, cores, rewrites);
            WriteGuard guard = new WriteGuard(capture, specs);
            if (writes.dryRun()) {
                RequestCensus census =
                        RequestCensus.of(capture, plan.connections().isEmpty());
                PrintWriter out = spec.commandLine().getOut();
                if (json) {
                    out.print(DryRunJson.of(plan, census, guard));
                    out.flush();
                } else {
                    DryRun.print(plan, capture, specs, census, guard, out);
                }
                return ExitCode.DONE;
            }
            if (guard.guards() && !plan.allowWrites()) {
                guard.check(RequestCensus.of(capture, plan.connections().isEmpty()));
            }
            JvmInventory inventory = JvmInventory.discover(Installation.locate().graalJars());
            specs.forEach(inventory::require);
            try (MetricsExporter exporter =
                            metrics.launch(plan, spec.commandLine().getErr());
                    RunDirectoryWriter directory = directory(plan)) {
                if (exporter != null) {
                    directory.alsoTo(exporter);
                }
                return run(plan, capture, specs, cores, tls, rewrites, inventory, directory, exporter);
            }
        }
    }

    private Capture open() {
        Progress progress = new Progress(spec.commandLine().getErr(), Terminal.isWatched());
        try (OpeningProgress opening = new OpeningProgress(capturePath, progress)) {
            return Capture.open(
                    capturePath,
                    OpenOptions.defaults()
                            .allowTruncated(allowTruncated)
                            .encryption(key.key())
                            .progress(opening));
        }
    }

    private int run(
            RunPlan plan,
            Capture capture,
            List<TargetSpec> specs,
            Cores cores,
            TargetTls tls,
            Rewrites rewrites,
            JvmInventory inventory,
            RunDirectoryWriter directory,
            MetricsExporter exporter) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        directory.plan(plan);
        LaunchSettings settings = settings(specs, tls, directory.directory());
        Progress progress = new Progress(err, Terminal.isWatched());
        soak.watch(plan, directory, progress, trends -> {
            if (exporter != null) {
                exporter.trends(trends);
            }
        });
        ReplayRun run = new ReplayRun(
                plan, capture, specs, cores, settings, directory, tls, rewrites, progress, interruption, compare);
        if (exporter != null) {
            run.onReady(exporter::ready);
        }
        RunResult result = SoakFindings.add(verdicts.conclude(run.run(inventory)), directory.directory());
        boolean profiled = plan.profileDuration().isPresent() && run.failure().isEmpty();
        if (!json || !profiled) {
            // On the screen first: a full disk must not cost the figures of a long run.
            out.print(Report.of(result).as(json ? ReportFormat.JSON : ReportFormat.TEXT));
            out.flush();
        }
        directory.summary(Report.of(result).as(ReportFormat.CSV));
        run.writeDifferences();
        directory.result(result);
        if (profiled) {
            // What follows is no part of a soak run, whose status ends here.
            progress.watch(() -> null);
            ProfilePass pass =
                    new ProfilePass(plan, capture, specs, cores, settings, tls, rewrites, progress, interruption);
            result = pass.run(result, inventory, directory);
            out.print(
                    json
                            ? Report.of(result).as(ReportFormat.JSON)
                            : "\n" + Report.of(result).hotMethods());
            out.flush();
            directory.amend(result);
        }
        err.println("run directory: " + directory.directory());
        err.flush();
        return run.failure().isPresent() ? failed(run.failure().get(), err) : exitCode(result);
    }

    /** Tells why Lockstep failed although there is a result. */
    private static int failed(Throwable failure, PrintWriter err) {
        if (ExpectedFailure.isExpected(failure)) {
            Main.print(err, failure.getMessage());
        } else {
            // A defect of ours: whoever mends it needs the whole trace.
            failure.printStackTrace(err);
            err.flush();
        }
        return ExitCode.FAILED;
    }

    private RunPlan plan(
            Capture capture, CaptureContent content, List<TargetSpec> specs, Cores cores, Rewrites rewrites) {
        try {
            RunPlan.Builder builder = RunPlanner.plan(capture, content, specs, load, targets, cores).toBuilder()
                    .allowWrites(writes.allowWrites())
                    .compare(compare.isOn());
            launches.addTo(builder);
            profile.addTo(builder);
            verdicts.addTo(builder, specs);
            content.check(builder.build().connections().isPresent());
            if (rewrites != null) {
                rewrites.options().forEach(builder::rewrite);
                rewrites.check(capture, builder.build().connections().isPresent());
            }
            RunPlan plan = builder.build();
            // What the capture does not allow is told before a target starts.
            ReplayRun.load(plan, capture).build();
            return plan;
        } catch (IllegalArgumentException e) {
            // Options that are right one by one and not together, or in no run.
            throw new UsageException(e.getMessage());
        }
    }

    private RunDirectoryWriter directory(RunPlan plan) {
        if (output != null) {
            return RunDirectoryWriter.create(output, force);
        }
        List<String> names = plan.targets().stream().map(TargetPlan::name).collect(Collectors.toList());
        return RunDirectoryWriter.createDefault(RUNS, OffsetDateTime.now(), names);
    }

    private LaunchSettings settings(List<TargetSpec> specs, TargetTls tls, Path directory) {
        LaunchSettings.Builder settings = LaunchSettings.builder()
                .readinessPath("/health")
                .memoryLimitBytes(targets.memoryBytes())
                .readyTimeout(targets.readyTimeout())
                .logDirectory(directory);
        if (tls != null) {
            settings.tls(tls.context(), !tls.isInsecure());
        }
        if (specs.stream()
                .anyMatch(
                        spec -> spec.attachAddress().isEmpty() && spec.command().isEmpty())) {
            settings.command(Installation.locate().targetAppCommand());
        }
        try {
            return settings.build();
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    /** A target that died once it was ready is a result, with figures or without; one that never was ready is not. */
    static int exitCode(RunResult result) {
        // Who ends a run early knows that some targets had no turn yet.
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
