package dev.lockstep.cli;

import dev.lockstep.conversion.ImportConfig;
import dev.lockstep.conversion.ImportFormat;
import dev.lockstep.conversion.ImportReport;
import dev.lockstep.conversion.TrafficImport;
import dev.lockstep.protocol.StreamProtocol;
import dev.lockstep.recorder.RecordingStatus;
import dev.lockstep.redaction.RedactionPolicy;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code replay import}: makes a capture of another tool's recording. */
@Command(
        name = "import",
        description =
                "Makes a capture of other tools' recordings: pcap and pcapng, HAR, GoReplay, Envoy tap, mitmproxy, "
                        + "access logs, lists of URLs, vegeta targets; also gzipped. Several files become one capture, in the "
                        + "order of their times.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  replay import traffic.pcap -o capture.bin",
            "  replay import access.log --host www.example.com -o capture.bin",
            "Exit code: 0 imported, 1 not imported, 2 wrong command line."
        })
final class ImportCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "The recordings to read, all of one format.")
    private List<Path> inputs;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "The capture file to write; only you can read it.")
    private Path output;

    @Option(names = "--force", description = "Replace FILE if it exists.")
    private boolean force;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            converter = FormatConverter.class,
            description =
                    "pcap, har, gor, envoy-tap, mitmproxy, access-log, urls or vegeta. Default: what the first file "
                            + "looks like.")
    private ImportFormat format;

    @Option(
            names = "--protocol",
            paramLabel = "PROTOCOL",
            converter = ProtocolConverter.class,
            description = "What all connections carry, for example thrift-framed-binary. Default: recognised.")
    private StreamProtocol protocol;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            split = ",",
            description = "Take only packets of servers at these ports. Default: all.")
    private Set<Integer> ports = Set.of();

    @Option(
            names = "--rate",
            paramLabel = "REQUESTS/S",
            description =
                    "How many requests per second are made of lists, which say no times. Default: ${DEFAULT-VALUE}.")
    private double rate = 100;

    @Option(
            names = "--host",
            paramLabel = "HOST[:PORT]",
            description = "The Host of requests from access logs, which do not say it. Default: ${DEFAULT-VALUE}.")
    private String host = "localhost";

    @Option(
            names = "--tap-side",
            paramLabel = "SIDE",
            converter = TapSideConverter.class,
            description =
                    "Where Envoy's tap sat: listener (it read from clients) or cluster (it wrote for them). Default: "
                            + "whoever speaks first on a connection is its client.")
    private ImportConfig.TapSide tapSide = ImportConfig.TapSide.FIRST_TO_SPEAK;

    @Mixin
    private CaptureKeyOptions key;

    @Mixin
    private RedactionOptions redaction;

    @Mixin
    private CaptureFileOptions captureFile;

    @Override
    public Integer call() {
        RedactionPolicy policy = redaction.policy();
        ImportReport report = TrafficImport.run(config(policy));
        PrintWriter out = spec.commandLine().getOut();
        print(report, policy, out);
        out.flush();
        return report.status().captureFailure() == null ? ExitCode.DONE : ExitCode.FAILED;
    }

    private ImportConfig config(RedactionPolicy policy) {
        try {
            return ImportConfig.builder()
                    .inputs(inputs)
                    .output(output)
                    .format(format)
                    .protocol(protocol)
                    .ports(ports)
                    .rate(rate)
                    .host(host)
                    .tapSide(tapSide)
                    .redaction(policy)
                    .captureOptions(captureFile.builder(key.key()).overwrite(force))
                    .build();
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private void print(ImportReport report, RedactionPolicy policy, PrintWriter out) {
        RecordingStatus status = report.status();
        out.println("Imported " + Quantities.count(status.recordedRequests(), "request") + " ("
                + Quantities.bytes(status.recordedBytes()) + ") of "
                + Quantities.count(status.connections(), "connection") + ", "
                + Quantities.duration(report.durationNs()) + " of "
                + report.format().label() + ", into " + output);
        if (status.captureFailure() != null) {
            out.println("The import stopped early: " + status.captureFailure());
            out.println("Lost " + Quantities.count(status.lostRequests(), "request") + " ("
                    + Quantities.bytes(status.lostBytes()) + ") that were read"
                    + (report.stopped() ? "; what follows them was not read" : ""));
        }
        for (ImportReport.Finding finding : report.skipped()) {
            out.println("Skipped " + line(finding));
        }
        for (ImportReport.Finding finding : report.changed()) {
            out.println("Noted " + line(finding));
        }
        if (status.opaqueConnections() > 0) {
            out.println(Quantities.count(status.opaqueConnections(), "connection")
                    + " with bytes that are no requests: replayed as bytes over the recorded connections, not with -c");
        }
        if (status.incompleteRequests() > 0) {
            out.println(
                    Quantities.count(status.incompleteRequests(), "request")
                            + " without an end or with a hole: kept in the file, replayed only where there is no hole, and not with -c");
        }
        if (report.format() == ImportFormat.ACCESS_LOG) {
            out.println("The requests go to Host " + host + " (--host); their times within a second are made up");
        }
        if (report.format() == ImportFormat.URLS || report.format() == ImportFormat.VEGETA) {
            out.println("The requests are " + rate + " a second (--rate)");
        }
        if (policy != null) {
            out.println("Redacted " + Quantities.count(status.redactions(), "value")
                    + (status.redactions() == 0
                            ? ""
                            : ": targets that check them will refuse (--no-redact keeps the bytes exact)"));
        }
    }

    private static String line(ImportReport.Finding finding) {
        return finding.count() + ": " + finding.reason()
                + (finding.places().isEmpty()
                        ? ""
                        : " (" + String.join(", ", finding.places())
                                + (finding.count() > finding.places().size() ? ", ..." : "") + ")");
    }

    /** Reads the name of a format. */
    static final class FormatConverter implements ITypeConverter<ImportFormat> {
        @Override
        public ImportFormat convert(String value) {
            ImportFormat format = ImportFormat.ofLabel(value);
            if (format == null) {
                throw new TypeConversionException(
                        "expected one of " + ImportFormat.labels() + ", found '" + value + "'");
            }
            return format;
        }
    }

    /** Reads where a tap sat. */
    static final class TapSideConverter implements ITypeConverter<ImportConfig.TapSide> {
        @Override
        public ImportConfig.TapSide convert(String value) {
            switch (value) {
                case "listener":
                    return ImportConfig.TapSide.LISTENER;
                case "cluster":
                    return ImportConfig.TapSide.CLUSTER;
                default:
                    throw new TypeConversionException("expected listener or cluster, found '" + value + "'");
            }
        }
    }
}
