package dev.lockstep.cli.captures;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureWriter;
import dev.lockstep.capture.Protocol;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.command.Version;
import dev.lockstep.cli.options.CaptureKeyOptions;
import dev.lockstep.cli.options.DurationConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.OutputFileConverter;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.recorder.CaptureConfig;
import dev.lockstep.recorder.PassiveConfig;
import dev.lockstep.recorder.PassiveRecording;
import dev.lockstep.recorder.RecordingConfig;
import dev.lockstep.recorder.RecordingProxy;
import dev.lockstep.recorder.RecordingStatus;
import dev.lockstep.redaction.RedactionPolicy;
import dev.lockstep.redaction.Unsearchable;
import dev.lockstep.run.Addresses;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code replay record}: records until a signal or a limit ends it, then says what it recorded and what it missed. */
@Command(
        name = "record",
        header = "Records what clients send to a service.",
        description = "Records what clients send to a service: through a proxy (--listen, --upstream) or from "
                + "the packets of an interface (--interface, --port). Ctrl-C ends it and completes the "
                + "file.",
        footer = {
            "  replay record --listen 127.0.0.1:8081 --upstream 127.0.0.1:8080 -o new.bin",
            "  replay record --interface lo --port 9090 -o capture.bin"
        },
        exitCodeList = {"0:Recorded.", "1:Not recorded, or not wholly.", "2:Wrong command line."})
public final class RecordCommand extends ToolCommand {
    private static final long POLL_MS = 100;
    private static final int SETTLE_POLLS = 20;
    private static final long STATUS_LINE_NS = TimeUnit.SECONDS.toNanos(1);

    private final Interruption interruption;

    @Mixin
    private ProxyOptions proxy = new ProxyOptions();

    @Mixin
    private PassiveOptions passive = new PassiveOptions();

    @Mixin
    private What what = new What();

    @Mixin
    private RedactionOptions redaction = new RedactionOptions();

    @Mixin
    private CaptureFileOptions file = new CaptureFileOptions();

    @Mixin
    private CaptureKeyOptions key = new CaptureKeyOptions();

    /** The options of either kind of recording. */
    private static final class What {
        @Heading("The file")
        @Option(
                names = {"-o", "--output"},
                converter = OutputFileConverter.class,
                paramLabel = "FILE",
                description = "The capture file to write; only you can read it. Default: ${DEFAULT-VALUE}.",
                defaultValue = "capture.bin")
        private Path output;

        @Heading("The file")
        @Option(names = "--force", description = "Replaces FILE if it exists.")
        private boolean force;

        @Heading("The file")
        @Option(
                names = "--append",
                description = "Goes on in FILE, which a recorder that ended or was killed left, after mending its end.")
        private boolean append;

        @Heading("What to record, and how long")
        @Option(
                names = "--protocol",
                paramLabel = "NAME",
                converter = ProtocolConverter.class,
                description = "Takes every connection for this protocol, for example http/1 or thrift-framed-binary. "
                        + "Default: recognised by its first bytes.")
        private Protocol protocol;

        @Heading("What to record, and how long")
        @Option(
                names = "--duration",
                paramLabel = "DURATION",
                converter = DurationConverter.class,
                description = "Ends the recording after this time, for example 30s or 10m. Default: no limit.")
        private Duration duration;

        @Heading("What to record, and how long")
        @Option(
                names = "--requests",
                paramLabel = "REQUESTS",
                description =
                        "Ends the recording after this many complete requests; it looks ten times a second. Default: no limit.")
        private Long requests;
    }

    /** A recording of either kind. */
    private static final class Recording {
        final Supplier<RecordingStatus> status;
        final Runnable end;

        Recording(Supplier<RecordingStatus> status, Runnable end) {
            this.status = status;
            this.end = end;
        }
    }

    /** @param interruption which ends it */
    public RecordCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() throws InterruptedException {
        check();
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        CountDownLatch end = new CountDownLatch(1);
        interruption.onRequest(end::countDown);
        RedactionPolicy policy = redaction.policy();
        Recording recording = passive.given() != null ? launchPassive(policy, err) : launchProxy(policy, err);
        long startNs = System.nanoTime();
        try {
            err.println(
                    policy == null
                            ? "The file holds every byte that clients send, credentials too; only you can read it."
                            : "Secrets are replaced before they are written (" + policy.description() + ").");
            err.flush();
            await(recording, policy, end, startNs, err);
        } finally {
            recording.end.run();
        }
        RecordingStatus status = recording.status.get();
        for (String line : summary(status, policy, System.nanoTime() - startNs)) {
            out.println(line);
        }
        out.flush();
        return status.captureFailure() == null && !hasLost(status) ? ExitCode.DONE : ExitCode.FAILED;
    }

    private void check() {
        if (passive.given() != null && proxy.given() != null) {
            throw new UsageException(
                    passive.given() + ": expected no option of the proxy beside it, found " + proxy.given());
        }
        if (passive.given() == null && proxy.listen == null && proxy.upstream == null) {
            throw new UsageException(
                    proxy.given() != null
                            ? proxy.given() + ": expected --listen and --upstream beside it, found neither"
                            : "expected --listen and --upstream for a proxy, or --interface and --port, found neither");
        }
        if (passive.given() == null && (proxy.listen == null || proxy.upstream == null)) {
            throw new UsageException(
                    proxy.listen == null
                            ? "--upstream: expected --listen beside it, found none"
                            : "--listen: expected --upstream beside it, found none");
        }
        if (what.append && what.force) {
            throw new UsageException("--append: expected no --force beside it, found one");
        }
        if (what.requests != null && what.requests < 1) {
            throw new UsageException("--requests: expected at least 1 request, found " + what.requests);
        }
        if (what.duration != null && what.duration.isZero()) {
            throw new UsageException("--duration: expected a duration above 0, found 0");
        }
    }

    /** Sets what both kinds of recording know. */
    private <B extends CaptureConfig.Builder<B>> B configure(B config, RedactionPolicy policy) {
        CaptureOptions.Builder options = file.builder(key.key());
        return config.capture(what.output)
                .overwrite(what.force)
                .append(what.append)
                .captureOptions(policy == null ? options : options.redaction(policy.description()))
                .protocol(what.protocol)
                .redaction(policy)
                .toolVersion(Version.number());
    }

    /** Whether the file and the port are free; else the recording fails at once, and need not warm up before. */
    private boolean canBegin() {
        Path folder = what.output.toAbsolutePath().getParent();
        boolean writable = what.append
                ? Files.isWritable(what.output)
                : folder != null && Files.isWritable(folder) && (what.force || !Files.exists(what.output));
        if (!writable) {
            return false;
        }
        try {
            CaptureWriter.refuseRecorded(what.output);
        } catch (CaptureException e) {
            return false;
        }
        // Bound only: a client that comes now finds nobody, as before.
        try (Socket probe = new Socket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(proxy.listen.getHostString(), proxy.listen.getPort()));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private Recording launchProxy(RedactionPolicy policy, PrintWriter err) {
        RecordingConfig.Builder config = configure(RecordingConfig.builder(), policy);
        proxy.addTo(config);
        RecordingProxy recording;
        RecorderWarmUp warmUp = new RecorderWarmUp(proxy.warmUp(), policy != null);
        try {
            RecordingConfig checked = config.build();
            if (!proxy.warmUp().isZero() && canBegin()) {
                err.println("Warming up for " + DurationConverter.print(proxy.warmUp())
                        + " before it listens (--warmup 0: not at all)");
                err.flush();
                warmUp.before();
            }
            recording = RecordingProxy.launch(checked);
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
        err.println("Recording " + Addresses.print(recording.boundAddress()) + " -> "
                + Addresses.print(proxy.upstream) + " into " + Terminal.printable(what.output.toString()) + " ("
                + recording.transport().name() + "); Ctrl-C ends it");
        if (!recording.boundAddress().getAddress().isLoopbackAddress()) {
            Terminal.error(
                    err,
                    Addresses.print(recording.boundAddress())
                            + " can be reached from other machines; listen on 127.0.0.1 to keep them out");
        }
        warmUp.until(() -> recording.status().connections() > 0);
        return new Recording(recording::status, () -> {
            warmUp.close();
            recording.close();
        });
    }

    private Recording launchPassive(RedactionPolicy policy, PrintWriter err) {
        PassiveConfig.Builder config = configure(PassiveConfig.builder(), policy);
        passive.addTo(config);
        PassiveRecording recording;
        try {
            recording = PassiveRecording.launch(config.build());
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
        err.println("Recording " + passive.interfaceName + " port "
                + Arrays.stream(passive.ports).mapToObj(String::valueOf).collect(Collectors.joining(", ")) + " into "
                + Terminal.printable(what.output.toString()) + " (packets); Ctrl-C ends it");
        return new Recording(recording::status, recording::close);
    }

    private static boolean hasLost(RecordingStatus status) {
        return status.lostConnections() > 0
                || status.lostRequests() > 0
                || status.lostBytes() > 0
                || status.kernelDrops() > 0;
    }

    private void await(Recording recording, RedactionPolicy policy, CountDownLatch end, long startNs, PrintWriter err)
            throws InterruptedException {
        Set<String> told = new HashSet<>();
        String problemTold = null;
        long nextLineNs = startNs;
        while (!end.await(POLL_MS, TimeUnit.MILLISECONDS)) {
            RecordingStatus status = recording.status.get();
            long nowNs = System.nanoTime();
            String problem = status.interfaceProblem();
            if (problem != null && !problem.equals(problemTold)) {
                tell(err, problem);
            }
            problemTold = problem;
            problems(status, policy).forEach((subject, text) -> {
                if (told.add(subject)) {
                    tell(err, text);
                }
            });
            if (what.requests != null && allRequests(status) >= what.requests) {
                settle(
                        () -> allRequests(recording.status.get()),
                        () -> recording.status.get().upstreamBytes(),
                        end);
                break;
            }
            if (what.duration != null && nowNs - startNs >= what.duration.toNanos()) {
                break;
            }
            if (Terminal.isWatched() && nowNs - nextLineNs >= 0) {
                nextLineNs += STATUS_LINE_NS;
                err.print(Terminal.over(statusLine(status, nowNs - startNs)));
                err.flush();
            }
        }
        clearStatusLine(err);
    }

    /** Returns by its subject each problem that is told at once, the first time. */
    private Map<String, String> problems(RecordingStatus status, RedactionPolicy policy) {
        Map<String, String> problems = new LinkedHashMap<>();
        if (status.captureFailure() != null) {
            problems.put("capture", "recording has stopped, traffic goes on: " + status.captureFailure());
        }
        if (policy != null && policy.counts().unsearchedConnections() > 0) {
            // Nobody can record again what was left out for an hour.
            problems.put(
                    "secrets",
                    policy.unsearchable() == Unsearchable.DROP
                            ? "a connection cannot be searched for secrets: its bytes are left out; "
                                    + "--unsearchable keep keeps them"
                            : "a connection cannot be searched for secrets but for headers and parameters: its "
                                    + "bytes are kept");
        }
        if (status.upstreamTlsFailures() > 0) {
            problems.put("upstream's TLS", upstreamTlsProblem(status));
        }
        if (status.upstreamFailures() > 0) {
            // Its clients fail too. Nobody asks it before: it gets no bytes but its clients'.
            problems.put(
                    "upstream",
                    "a connection to " + Addresses.print(proxy.upstream) + " (--upstream) could not be made, so its"
                            + " client was cut off; see that the service is there, and that file descriptors are left"
                            + " (ulimit -n): recording goes on");
        }
        if (status.clientTlsFailures() > 0) {
            problems.put("clients' TLS", clientTlsProblem(status));
        }
        return problems;
    }

    /** Tells it in place of the status line. */
    private static void tell(PrintWriter err, String problem) {
        clearStatusLine(err);
        Terminal.error(err, problem);
    }

    private String upstreamTlsProblem(RecordingStatus status) {
        return "TLS with " + Addresses.print(proxy.upstream) + " failed for "
                + Quantities.count(status.upstreamTlsFailures(), "connection") + ", which the client saw reset: "
                + status.lastUpstreamTlsProblem() + "; see --upstream-ca, --upstream-name, --upstream-insecure";
    }

    private static String clientTlsProblem(RecordingStatus status) {
        return "TLS with clients failed for " + Quantities.count(status.clientTlsFailures(), "connection")
                + ": they do not trust our certificate, or speak no TLS to this port: "
                + status.lastClientTlsProblem();
    }

    /**
     * Lets the answers to the last requests pass: until nothing more comes, for a while at most. Further requests end
     * it too: where they go on coming, so do answers, and all of them would be recorded.
     */
    static void settle(LongSupplier requests, LongSupplier answerBytes, CountDownLatch end)
            throws InterruptedException {
        long enough = requests.getAsLong();
        long bytes = -1;
        for (int polls = 0; polls < SETTLE_POLLS && answerBytes.getAsLong() != bytes; polls++) {
            bytes = answerBytes.getAsLong();
            if (end.await(POLL_MS, TimeUnit.MILLISECONDS) || requests.getAsLong() > enough) {
                return;
            }
        }
    }

    private static void clearStatusLine(PrintWriter err) {
        if (Terminal.isWatched()) {
            err.print(Terminal.over(""));
            err.flush();
        }
    }

    /** Those of HTTP/2 have no end in the capture, and count from their headers on. */
    private static long allRequests(RecordingStatus status) {
        return status.requests() + status.http2Requests();
    }

    private static String statusLine(RecordingStatus status, long elapsedNs) {
        return Quantities.duration(elapsedNs) + ": " + Quantities.count(allRequests(status), "request") + ", "
                + Quantities.bytes(status.clientBytes()) + ", " + status.openConnections() + " of "
                + Quantities.count(status.connections(), "connection") + " open"
                + (status.lostBytes() > 0 ? ", " + Quantities.bytes(status.lostBytes()) + " LOST" : "");
    }

    /** Returns what was recorded, what was missed and what was replaced. */
    private List<String> summary(RecordingStatus status, RedactionPolicy policy, long elapsedNs) {
        List<String> lines = new ArrayList<>();
        if (policy != null) {
            lines.addAll(RedactionOptions.unsearched(policy));
        }
        lines.add("Recorded " + Quantities.count(status.recordedRequests(), "request") + " ("
                + Quantities.bytes(status.recordedBytes()) + ") of "
                + Quantities.count(status.connections(), "connection") + " in " + Quantities.duration(elapsedNs)
                + " into " + Terminal.printable(what.output.toString()));
        if (status.http2Requests() > 0) {
            lines.add("Beside them " + Quantities.count(status.http2Requests(), "HTTP/2 request")
                    + ", in connections that are kept whole");
        }
        boolean leavesOut = policy != null && policy.unsearchable() == Unsearchable.DROP;
        addMissed(lines, status, leavesOut && policy.counts().unsearchedLeftOutBytes() > 0);
        addNoPlainRequests(lines, status, leavesOut);
        addNotServed(lines, status);
        if (policy == null) {
            lines.add("Nothing was redacted (--no-redact): the file holds credentials as they were sent");
        } else {
            lines.add("Redacted: " + policy.counts().summary()
                    + (policy.counts().total() > 0
                            ? ". Targets that check these values will refuse the requests; --no-redact keeps them"
                            : ""));
            lines.add("What is no credential stays in the file, personal data too (docs/redaction.md)");
        }
        return lines;
    }

    private static void addMissed(List<String> lines, RecordingStatus status, boolean hasLeftOut) {
        if (status.lostConnections() > 0 || status.lostRequests() > 0 || status.lostBytes() > 0) {
            lines.add("Missed " + Quantities.count(status.lostRequests(), "request") + " ("
                    + Quantities.bytes(status.lostBytes()) + ") of "
                    + Quantities.count(status.lostConnections(), "connection")
                    + ": the disk could not follow, or failed; the service was not slowed");
        }
        if (status.kernelDrops() > 0) {
            lines.add("Missed " + Quantities.count(status.kernelDrops(), "packet")
                    + ": the kernel dropped them because the ring was full; give a larger --ring");
        }
        if (status.gaps() > 0) {
            lines.add("Missed at least " + Quantities.bytes(status.missedBytes()) + " in "
                    + Quantities.count(status.gaps(), "gap")
                    + " of connections: the requests there are incomplete, and are not replayed");
        }
        boolean stopped = status.captureFailure() != null || status.acceptFailures() > 0;
        if (!hasLost(status) && !hasLeftOut && status.gaps() == 0 && status.tlsFailures() == 0 && !stopped) {
            lines.add("Missed nothing");
        }
        if (status.defects() > 0) {
            lines.add("A defect of Lockstep ended the recording of "
                    + Quantities.count(status.defects(), "connection") + ", not their traffic; please report: "
                    + status.lastDefect());
        }
        if (status.captureFailure() != null) {
            lines.add("Recording stopped early: " + status.captureFailure());
        }
    }

    private static void addNoPlainRequests(List<String> lines, RecordingStatus status, boolean leavesOut) {
        if (status.opaqueConnections() > 0 && !leavesOut) {
            lines.add(
                    Quantities.count(status.opaqueConnections(), "connection")
                            + " carried bytes that are no requests of a known protocol: replayed as bytes over the recorded connections, not with -c");
        }
        if (status.incompleteRequests() > 0) {
            lines.add(
                    Quantities.count(status.incompleteRequests(), "request")
                            + " without an end or with a hole: kept in the file, replayed only where there is no hole, and not with -c");
        }
        if (status.ambiguousRequests() > 0) {
            lines.add(Quantities.count(status.ambiguousRequests(), "request")
                    + " with a length that servers may read differently: recorded as chunked");
        }
    }

    private void addNotServed(List<String> lines, RecordingStatus status) {
        if (status.acceptFailures() > 0) {
            lines.add("Clients could not be accepted "
                    + Quantities.count(status.acceptFailures(), "time")
                    + ", for want of file descriptors mostly (ulimit -n): what they would have sent is missing");
        }
        if (status.refusedConnections() > 0) {
            lines.add(Quantities.count(status.refusedConnections(), "connection") + " refused by --max-connections");
        }
        if (status.refusedHeaders() > 0) {
            lines.add(Quantities.count(status.refusedHeaders(), "connection")
                    + " refused because its PROXY protocol header was missing or wrong");
        }
        if (status.upstreamFailures() > 0) {
            lines.add(Addresses.print(proxy.upstream) + " did not accept "
                    + Quantities.count(status.upstreamFailures(), "connection"));
        }
        if (status.upstreamTlsFailures() > 0) {
            lines.add(Terminal.printable(upstreamTlsProblem(status)));
        }
        if (status.clientTlsFailures() > 0) {
            lines.add(Terminal.printable(clientTlsProblem(status)));
        }
    }
}
