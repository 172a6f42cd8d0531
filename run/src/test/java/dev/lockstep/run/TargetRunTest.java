package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.analysis.LoadSeries;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class TargetRunTest {
    @TempDir
    private Path folder;

    @Test
    void saysThatATargetDiedWhileOthersStarted() throws Exception {
        TargetSpec spec = TargetSpec.builder("mortal")
                .command(List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        TestingMortalServer.class.getName(),
                        "{port}",
                        folder.resolve("end").toString()))
                .build();
        LaunchSettings settings =
                LaunchSettings.builder().readinessPath("/").logDirectory(folder).build();
        TargetRun run = new TargetRun(spec, 1, 1, null);
        try (TargetLauncher launcher = TargetLauncher.open(JvmInventory.discover(folder))) {
            run.launch(launcher, settings);
            Files.createFile(folder.resolve("end"));
            run.process().onExit().get(60, TimeUnit.SECONDS);
        }

        TargetLaunches launches = new TargetLaunches(spec).with(run, new LoadSeries(IntervalSink.NONE), true);
        TargetResult result = launches.result(0, new MonitoredIntervals(IntervalSink.NONE), 1);
        TargetExit exit = result.exit().orElseThrow();
        assertEquals("start", exit.phase().orElseThrow());
        assertEquals(9, exit.exitCode().orElseThrow());
        assertTrue(Math.abs(System.currentTimeMillis() - exit.atMs().orElseThrow()) < 60_000, "when: " + exit.atMs());
        assertTrue(result.startupNs().isPresent(), "it was ready");
    }
}
