package dev.lockstep.run;

import dev.lockstep.analysis.LoadSeries;
import dev.lockstep.capture.Capture;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.results.RunPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Runs one launch of small servers that take turns. */
final class TestingTurns {
    private TestingTurns() {}

    /** Returns a target that is a main class of these tests, in a JVM of its own. */
    static TargetSpec server(String name, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                TestingPrograms.classPath(main),
                main.getName()));
        command.addAll(Arrays.asList(arguments));
        return TargetSpec.builder(name).command(command).build();
    }

    /**
     * Runs it.
     *
     * @param rounds how many turns each gets
     * @param load what each turn is part of
     * @param sink gets the intervals
     * @param made gets the launch before it begins
     */
    static void run(
            Path folder,
            List<TargetSpec> specs,
            int rounds,
            RunPlan.Builder load,
            IntervalSink sink,
            Consumer<LaunchRound> made) {
        LaunchSettings settings = LaunchSettings.builder()
                .readinessPath("/health")
                .logDirectory(folder)
                .build();
        LoadSeries series = new LoadSeries(sink);
        MonitoredIntervals intervals = new MonitoredIntervals(series);
        try (Capture capture = Capture.open(TestingCapture.gets(folder.resolve("capture.bin"), 1, 40, 10_000_000))) {
            Cores cores = Cores.plan(null, specs.stream().map(TargetSpec::name).collect(Collectors.toList()));
            RunPlan plan = new RunPlanner(capture, specs, cores).rounds(rounds).plan(load);
            RunConfig config = RunConfig.builder(plan, capture, specs, cores, JvmInventory.discover(folder))
                    .build();
            LaunchRound round = new LaunchRound(
                    config,
                    settings,
                    Collections.nCopies(specs.size(), Duration.ofSeconds(60)),
                    intervals,
                    series,
                    new RunListener() {},
                    new Cancellation(),
                    null,
                    Map.of(),
                    1,
                    LaunchOrder.of(specs.size(), 1));
            made.accept(round);
            try (TargetLauncher launcher = TargetLauncher.open(config.inventory());
                    Replayer replayer = Replayer.launchCold(
                            RunPlanner.load(plan, capture).intervals(intervals).build())) {
                round.run(launcher, replayer, null, () -> {});
            }
        }
    }
}
