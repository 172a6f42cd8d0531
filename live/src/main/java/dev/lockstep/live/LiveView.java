package dev.lockstep.live;

import dev.lockstep.page.LivePage;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.run.Cancellation;
import dev.lockstep.run.RunListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Shows a run in a browser while it goes on, and ends it when that is asked for there. Used by the thread that carries
 * out the run; closed by whoever launched it.
 */
public final class LiveView implements AutoCloseable {
    /** How long the report is there for pages that were open; loading it takes less than a second. */
    private static final Duration GRACE = Duration.ofSeconds(10);
    /** How long it takes to tell them that there is none. */
    private static final Duration SHORT_GRACE = Duration.ofSeconds(1);

    private final LiveRun run;
    private final LiveServer server;

    private LiveView(LiveRun run, LiveServer server) {
        this.run = run;
        this.server = server;
    }

    /**
     * Starts to serve the page of a run that is about to begin.
     *
     * @param cancellation what the buttons of the page use
     * @throws LiveException when the address cannot be listened on
     */
    public static LiveView launch(InetSocketAddress address, RunPlan plan, Cancellation cancellation) {
        LiveRun run = new LiveRun(plan, System::nanoTime);
        Map<String, Runnable> actions = Map.of(
                "/stop",
                () -> {
                    run.stops();
                    cancellation.cancel();
                },
                "/conclude",
                () -> {
                    run.concludes();
                    cancellation.conclude();
                });
        try {
            return new LiveView(run, LiveServer.launch(address, LivePage.of(plan), run, actions));
        } catch (IOException e) {
            throw LiveException.cannotListen(address, e);
        }
    }

    /** Returns where it listens, with the port that was found for port 0. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** Returns what to open in a browser; good for one. */
    public String url() {
        return server.url();
    }

    /**
     * Returns what is to hear the run.
     *
     * @param directory the run directory
     */
    public RunListener listener(Path directory) {
        run.writesTo(directory.toString());
        return run;
    }

    /**
     * Has the pages that are open load the report of the run, which is over, and waits until they have, for a short
     * while.
     *
     * @param report the report's page, a file
     */
    public void showReport(RunResult result, Path report) {
        run.over(result.status().name());
        server.end(report, GRACE);
    }

    /** Ends the server. Pages that have no report are told that there is none. */
    @Override
    public void close() {
        if (!run.isOver()) {
            run.over(null);
            server.end(null, SHORT_GRACE);
        }
        server.close();
    }
}
