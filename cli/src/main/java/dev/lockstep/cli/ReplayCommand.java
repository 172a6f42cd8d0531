package dev.lockstep.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
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
                "Replays recorded HTTP traffic, byte for byte and on one schedule, to several JVMs, and says which "
                        + "one serves it better.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        separator = " ",
        footerHeading = "%nExamples:%n",
        footer = {
            "  replay --targets c2,graal capture.bin                  once, as it was recorded",
            "  replay --targets c2,graal -z 30s -q 2000 capture.bin   2000 requests/s for 30 s",
            "  replay --targets c2,graal@25 -z 10s -c 50 --memory 128m capture.bin",
            "  replay record --listen 127.0.0.1:8081 --upstream 127.0.0.1:8080 -o capture.bin",
            "Exit code: 0 done, 1 failed, 2 wrong command line or targets file, 3 done but INVALID."
        })
final class ReplayCommand implements Callable<Integer> {
    private final Interruption interruption;

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "CAPTURE", description = "The capture file to replay.")
    private Path capture;

    @Mixin
    private final TargetOptions targets = new TargetOptions();

    @Mixin
    private final LoadOptions load = new LoadOptions();

    @Option(
            names = "--max-lag",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            defaultValue = "10ms",
            order = 30,
            description = "How late this side may send: with a 99th percentile above this the run is INVALID. "
                    + "Default: ${DEFAULT-VALUE}.")
    private Duration maxLag;

    @Option(
            names = "--allow-truncated",
            order = 31,
            description = "Replay what is whole of a capture that a crash has cut short.")
    private boolean allowTruncated;

    @Option(
            names = "--json",
            order = 40,
            description = "Print the result as the JSON of run.json, and nothing else, on standard output.")
    private boolean json;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "DIR",
            order = 41,
            description = "The folder for run.json, histograms and target logs. Default: lockstep-runs/ with the time "
                    + "and the targets' names.")
    private Path output;

    @Option(names = "--force", order = 42, description = "Replace the run in DIR if there is one.")
    private boolean force;

    ReplayCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        load.check();
        targets.check();
        if (capture == null) {
            throw new UsageException("the capture file is missing: replay --targets c2,graal capture.bin");
        }
        return ExitCode.DONE;
    }
}
