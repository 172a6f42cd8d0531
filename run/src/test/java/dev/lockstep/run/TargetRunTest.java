package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.analysis.LoadSeries;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.IntervalSink;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
                        TestingPrograms.classPath(TestingMortalServer.class),
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

    @Test
    void waitsNotLongForAServerThatDidNotAnswerInTheLaunchBefore() throws Exception {
        Duration minute = Duration.ofMinutes(1);
        try (TargetLauncher launcher = TargetLauncher.open(JvmInventory.discover(folder));
                Socket silent = new Socket();
                ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            // Nobody listens on it, and nobody else is given it while it is bound.
            silent.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

            TargetSpec spec = TargetSpec.builder("gone")
                    .attach("127.0.0.1", silent.getLocalPort())
                    .build();
            TargetLaunches launches = new TargetLaunches(spec);
            assertEquals(minute, launches.readyTimeout(minute), "of the first launch");
            TargetLaunches gone = launches.with(attached(spec, 2, launcher), new LoadSeries(IntervalSink.NONE), true);
            assertEquals(Duration.ofSeconds(5), gone.readyTimeout(minute));
            assertEquals(
                    Duration.ofSeconds(1), gone.readyTimeout(Duration.ofSeconds(1)), "no longer than was asked for");

            TargetSpec back = TargetSpec.builder("gone")
                    .attach("127.0.0.1", server.getLocalPort())
                    .build();
            assertEquals(
                    minute,
                    gone.with(attached(back, 3, launcher), new LoadSeries(IntervalSink.NONE), true)
                            .readyTimeout(minute),
                    "once it is back");
        }
    }

    @Test
    void knowsNoCostsWhereAnotherProcessServes() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        TargetSpec spec = TargetSpec.builder("client")
                .command(List.of("sleep", "600"))
                .port(port)
                .readinessPath("")
                .build();
        LaunchSettings settings = LaunchSettings.builder().logDirectory(folder).build();
        TargetRun run = new TargetRun(spec, 1, 1, null);
        try (TargetLauncher launcher = TargetLauncher.open(JvmInventory.discover(folder))) {
            CompletableFuture<Void> launched = CompletableFuture.runAsync(() -> {
                try {
                    run.launch(launcher, settings);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            // Before that its port has to be free.
            while (!Files.exists(folder.resolve("client.log"))) {
                Thread.sleep(2);
            }
            try (ServerSocket elsewhere = new ServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
                launched.get(60, TimeUnit.SECONDS);
                assertEquals(elsewhere.getLocalPort(), run.process().address().getPort());
            }
            run.startWindow();
            run.endWindow();
            assertEquals(Costs.NONE, run.costs());
            assertTrue(
                    run.unknownCosts().get(0).startsWith("another process than the one that was started listens"),
                    run.unknownCosts().toString());
            run.stop();
        }
    }

    private TargetRun attached(TargetSpec spec, int launch, TargetLauncher launcher) throws InterruptedException {
        TargetRun run = new TargetRun(spec, launch, 1, null);
        run.launch(
                launcher,
                LaunchSettings.builder()
                        .logDirectory(folder)
                        .readyTimeout(Duration.ofMillis(50))
                        .build());
        run.stop();
        return run;
    }
}
