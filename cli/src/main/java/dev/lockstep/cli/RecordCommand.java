package dev.lockstep.cli;

import dev.lockstep.recorder.RecordingConfig;
import dev.lockstep.recorder.RecordingProxy;
import dev.lockstep.recorder.RecordingStatus;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code replay record}: runs the recording proxy until a signal or a limit ends it, then says what it recorded. */
@Command(
        name = "record",
        description = "Records what clients send to an HTTP/1.1 service: a proxy that passes both directions through "
                + "byte for byte and writes the requests into a capture file. Ctrl-C ends it and completes the file.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        footerHeading = "%nExample:%n",
        footer = {
            "  replay record --listen 127.0.0.1:8081 --upstream 127.0.0.1:8080 -o capture.bin",
            "Exit code: 0 recorded, 1 not or not wholly recorded, 2 wrong command line."
        })
final class RecordCommand implements Callable<Integer> {
    private static final long POLL_MS = 100;
    private static final int SETTLE_POLLS = 20;
    private static final long STATUS_LINE_NS = TimeUnit.SECONDS.toNanos(1);

    private final Interruption interruption;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--listen",
            required = true,
            paramLabel = "HOST:PORT",
            converter = AddressConverter.class,
            description = "Where clients connect to; port 0 takes a free one.")
    private InetSocketAddress listen;

    @Option(
            names = "--upstream",
            required = true,
            paramLabel = "HOST:PORT",
            converter = AddressConverter.class,
            description = "The service that answers them.")
    private InetSocketAddress upstream;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "The capture file to write. It holds every request byte, credentials too, and is readable by "
                    + "its owner only.")
    private Path output;

    @Option(names = "--force", description = "Replace FILE if it exists.")
    private boolean force;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "End by itself after this time, for example 30s or 10m. Default: no limit.")
    private Duration duration;

    @Option(
            names = "--requests",
            paramLabel = "REQUESTS",
            description = "End by itself once this many complete requests have come. Default: no limit.")
    private Long requests;

    RecordCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        CountDownLatch end = new CountDownLatch(1);
        interruption.onRequest(end::countDown);
        long startNs = System.nanoTime();
        RecordingProxy proxy = RecordingProxy.launch(config());
        try {
            out.println("Recording " + Addresses.print(proxy.boundAddress()) + " -> " + Addresses.print(upstream)
                    + " into " + output + " (" + proxy.transport().name() + "); Ctrl-C ends it");
            out.println("The file holds every byte that clients send, credentials too; only you can read it.");
            out.flush();
            if (!proxy.boundAddress().getAddress().isLoopbackAddress()) {
                err.println("replay: " + Addresses.print(proxy.boundAddress())
                        + " can be reached from other machines; listen on 127.0.0.1 to keep them out");
                err.flush();
            }
            await(proxy, end, startNs, err);
        } finally {
            proxy.close();
        }
        RecordingStatus status = proxy.status();
        for (String line : summary(status, System.nanoTime() - startNs)) {
            out.println(line);
        }
        out.flush();
        return status.captureFailure() == null && !hasLost(status) ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static boolean hasLost(RecordingStatus status) {
        return status.lostConnections() > 0 || status.lostRequests() > 0 || status.lostBytes() > 0;
    }

    private RecordingConfig config() {
        if (requests != null && requests < 1) {
            throw new UsageException("--requests: expected at least 1 request, found " + requests);
        }
        if (duration != null && duration.isZero()) {
            throw new UsageException("--duration: expected a duration above 0, found 0");
        }
        try {
            return RecordingConfig.builder()
                    .listen(listen)
                    .upstream(upstream)
                    .capture(output)
                    .overwrite(force)
                    .toolVersion(Main.version())
                    .build();
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private void await(RecordingProxy proxy, CountDownLatch end, long startNs, PrintWriter err)
            throws InterruptedException {
        boolean failureTold = false;
        long nextLineNs = startNs;
        while (!end.await(POLL_MS, TimeUnit.MILLISECONDS)) {
            RecordingStatus status = proxy.status();
            long nowNs = System.nanoTime();
            if (status.captureFailure() != null && !failureTold) {
                failureTold = true;
                clearStatusLine(err);
                err.println("replay: recording has stopped, traffic goes on: " + status.captureFailure());
                err.flush();
            }
            if (requests != null && status.requests() >= requests) {
                settle(proxy, end);
                break;
            }
            if (duration != null && nowNs - startNs >= duration.toNanos()) {
                break;
            }
            if (Terminal.isWatched() && nowNs - nextLineNs >= 0) {
                nextLineNs += STATUS_LINE_NS;
                err.print("\r" + statusLine(status, nowNs - startNs) + "\033[K");
                err.flush();
            }
        }
        clearStatusLine(err);
    }

    /** Lets the answers to the last requests pass: until nothing more comes, for a while at most. */
    private static void settle(RecordingProxy proxy, CountDownLatch end) throws InterruptedException {
        long bytes = -1;
        for (int polls = 0; polls < SETTLE_POLLS && proxy.status().upstreamBytes() != bytes; polls++) {
            bytes = proxy.status().upstreamBytes();
            if (end.await(POLL_MS, TimeUnit.MILLISECONDS)) {
                return;
            }
        }
    }

    private static void clearStatusLine(PrintWriter err) {
        if (Terminal.isWatched()) {
            err.print("\r\033[K");
            err.flush();
        }
    }

    private static String statusLine(RecordingStatus status, long elapsedNs) {
        return Quantities.duration(elapsedNs) + ": " + Quantities.count(status.requests(), "request") + ", "
                + Quantities.bytes(status.clientBytes()) + ", " + status.openConnections() + " of "
                + Quantities.count(status.connections(), "connection") + " open"
                + (status.lostBytes() > 0 ? ", " + Quantities.bytes(status.lostBytes()) + " LOST" : "");
    }

    /** Returns what was recorded and what, if anything, was missed. */
    private List<String> summary(RecordingStatus status, long elapsedNs) {
        List<String> lines = new ArrayList<>();
        lines.add("Recorded " + Quantities.count(status.recordedRequests(), "request") + " ("
                + Quantities.bytes(status.recordedBytes()) + ") of "
                + Quantities.count(status.connections(), "connection") + " in " + Quantities.duration(elapsedNs)
                + " into " + output);
        lines.add(
                hasLost(status)
                        ? "Missed " + Quantities.count(status.lostRequests(), "request") + " ("
                                + Quantities.bytes(status.lostBytes()) + ") of "
                                + Quantities.count(status.lostConnections(), "connection")
                                + ": passed on, but not in the file"
                        : "Missed nothing");
        if (status.captureFailure() != null) {
            lines.add("Recording stopped early: " + status.captureFailure());
        }
        if (status.opaqueConnections() > 0) {
            lines.add(Quantities.count(status.opaqueConnections(), "connection")
                    + " carried bytes that are no HTTP/1 requests: kept in the file, not replayed");
        }
        if (status.incompleteRequests() > 0) {
            lines.add(Quantities.count(status.incompleteRequests(), "connection")
                    + " ended in the middle of a request: kept in the file, not replayed");
        }
        if (status.ambiguousRequests() > 0) {
            lines.add(Quantities.count(status.ambiguousRequests(), "request")
                    + " with a length that servers may read differently: recorded as chunked");
        }
        if (status.acceptFailures() > 0) {
            lines.add("Clients could not be accepted "
                    + Quantities.count(status.acceptFailures(), "time")
                    + ", for want of file descriptors mostly (ulimit -n): what they would have sent is missing");
        }
        if (status.upstreamFailures() > 0) {
            lines.add(Addresses.print(upstream) + " did not accept "
                    + Quantities.count(status.upstreamFailures(), "connection"));
        }
        return lines;
    }
}
