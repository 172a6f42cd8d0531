package dev.lockstep.cli.captures;

import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.Protocol;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.CaptureKeyOptions;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.KeyConverter;
import dev.lockstep.cli.options.OutputFileConverter;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.conversion.Finding;
import dev.lockstep.conversion.UrlParts;
import dev.lockstep.conversion.imports.ImportConfig;
import dev.lockstep.conversion.imports.ImportFormat;
import dev.lockstep.conversion.imports.ImportReport;
import dev.lockstep.conversion.imports.TrafficImport;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.redaction.RedactionPolicy;
import dev.lockstep.redaction.Unsearchable;
import dev.lockstep.results.Keys;
import dev.lockstep.tap.TrafficStatus;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code replay import}: makes a capture of another tool's recording. */
@Command(
        name = "import",
        header = "Makes a capture of other tools' recordings.",
        description = "Makes a capture of other tools' recordings, gzipped or not: pcap, pcapng, HAR, "
                + "GoReplay, Envoy tap, mitmproxy, access logs, lists of URLs, vegeta targets.",
        footer = {
            "  replay import traffic.pcap -o capture.bin",
            "  replay import - -o capture.bin < traffic.pcap.gz",
            "  replay import access.log --host www.example.com -o capture.bin"
        },
        exitCodeList = {"0:Imported.", "1:Not imported.", "2:Wrong command line."})
public final class ImportCommand extends ToolCommand {
    /** The formats that options are for which others have no use of. */
    private static final Map<String, List<ImportFormat>> FORMATS = Map.of(
            "--port", List.of(ImportFormat.PCAP),
            "--rate", List.of(ImportFormat.URLS, ImportFormat.VEGETA, ImportFormat.HAR, ImportFormat.MITMPROXY),
            "--host", List.of(ImportFormat.ACCESS_LOG, ImportFormat.URLS),
            "--tap-side", List.of(ImportFormat.ENVOY_TAP));

    private static final double MOST_RATE = 1e9;

    private final Interruption interruption;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "The recordings to read, all of one format; - reads standard input.")
    private List<Path> inputs;

    @Heading("The file")
    @Option(
            names = {"-o", "--output"},
            converter = OutputFileConverter.class,
            required = true,
            paramLabel = "FILE",
            description = "Required: the capture file to write; only you can read it.")
    private Path output;

    @Heading("The file")
    @Option(names = "--force", description = "Replaces FILE if it exists.")
    private boolean force;

    @Heading("What to read")
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            converter = FormatConverter.class,
            description = "pcap, har, gor, envoy-tap, mitmproxy, access-log, urls or vegeta. Default: recognised "
                    + "by the first file's content.")
    private ImportFormat format;

    @Heading("What to read")
    @Option(
            names = "--protocol",
            paramLabel = "PROTOCOL",
            converter = ProtocolConverter.class,
            description = "What all connections carry, for example thrift-framed-binary. Default: recognised.")
    private Protocol protocol;

    @Heading("What to read")
    @Option(
            names = "--port",
            paramLabel = "PORT",
            split = ",",
            description = "Takes only packets of servers at these ports. Default: all.")
    private Set<Integer> ports = Set.of();

    @Heading("What to read")
    @Option(
            names = "--rate",
            paramLabel = "REQUESTS/S",
            converter = RateConverter.class,
            description = "Requests per second made of lists, which have no times. Default: ${DEFAULT-VALUE}.")
    private double rate = 100;

    @Heading("What to read")
    @Option(
            names = "--host",
            paramLabel = "HOST[:PORT]",
            description = "The Host of requests from access logs that do not name it. Default: ${DEFAULT-VALUE}.")
    private String host = "localhost";

    @Heading("What to read")
    @Option(
            names = "--tap-side",
            paramLabel = "SIDE",
            converter = TapSideConverter.class,
            description = "Where Envoy's tap sat: listener (it read from clients) or cluster (it wrote for them). "
                    + "Default: who speaks first is the client.")
    private ImportConfig.TapSide tapSide = ImportConfig.TapSide.FIRST_TO_SPEAK;

    @Mixin
    private RedactionOptions redaction;

    @Mixin
    private CaptureFileOptions captureFile;

    @Mixin
    private CaptureKeyOptions key;

    /** @param interruption which ends it */
    public ImportCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        interruption.letCleanUp();
        check();
        RedactionPolicy policy = redaction.policy();
        ImportReport report = TrafficImport.run(config(policy));
        if (format == null) {
            // Which one it is was not known before.
            useless(report.format())
                    .forEach(told -> Terminal.error(spec.commandLine().getErr(), "warning: " + told));
        }
        PrintWriter out = spec.commandLine().getOut();
        print(report, policy, out);
        out.flush();
        if (report.status().recordedRequests() == 0 && report.status().http2Requests() == 0) {
            Terminal.error(
                    spec.commandLine().getErr(),
                    "warning: no request was found in "
                            + Quantities.bytes(report.status().recordedBytes()) + " of clients; replay inspect "
                            + output + " says what they are");
        }
        return report.status().captureFailure() == null && !report.stopped() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private void check() {
        for (int port : ports) {
            if (port < 1 || port > 65_535) {
                throw new UsageException("--port: expected 1 to 65535, found " + port);
            }
        }
        if (!UrlParts.isHost(host)) {
            throw new UsageException(
                    "--host: expected a name or an address, with or without a port, found '" + host + "'");
        }
        if (format != null) {
            useless(format).findFirst().ifPresent(told -> {
                throw new UsageException(told);
            });
        }
    }

    /** Returns of each option that is for other formats than this one what is wrong with it. */
    private Stream<String> useless(ImportFormat found) {
        return spec.commandLine().getParseResult().matchedOptions().stream()
                .map(option -> option.names()[0])
                .distinct()
                .filter(name -> !FORMATS.getOrDefault(name, List.of(found)).contains(found))
                .map(name -> name + ": goes with "
                        + FORMATS.get(name).stream().map(ImportFormat::label).collect(Collectors.joining(" or "))
                        + ", found " + found.label() + "; leave it out");
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
                    .cancelled(interruption::isRequested)
                    .captureOptions(captureFile.builder(key.key()).overwrite(force))
                    .build();
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private void print(ImportReport report, RedactionPolicy policy, PrintWriter out) {
        TrafficStatus status = report.status();
        if (policy != null) {
            RedactionOptions.unsearched(policy).forEach(out::println);
        }
        out.println("Imported " + Quantities.count(status.recordedRequests(), "request") + " ("
                + Quantities.bytes(status.recordedBytes()) + ") of "
                + Quantities.count(status.connections(), "connection") + ", "
                + Quantities.duration(report.durationNs()) + " of "
                + report.format().label() + ", into " + Terminal.printable(output.toString()));
        if (status.captureFailure() != null) {
            out.println("The import stopped early: " + CaptureInfo.reason(status.captureFailure()));
            out.println("Lost " + Quantities.count(status.lostRequests(), "request") + " ("
                    + Quantities.bytes(status.lostBytes()) + ") that were read"
                    + (report.stopped() ? "; what follows them was not read" : ""));
        }
        if (report.stopped() && status.captureFailure() == null) {
            out.println("The import was ended by a signal; what follows was not read");
        }
        for (Finding finding : report.skipped()) {
            out.println("Skipped " + Terminal.printable(finding.line()));
        }
        for (Finding finding : report.changed()) {
            out.println("Noted " + Terminal.printable(finding.line()));
        }
        boolean leavesOut = policy != null && policy.unsearchable() == Unsearchable.DROP;
        if (status.opaqueConnections() > 0 && !leavesOut) {
            out.println(Quantities.count(status.opaqueConnections(), "connection")
                    + " with bytes that are no requests: replayed as bytes over the recorded connections, not with -c");
        }
        if (status.incompleteRequests() > 0) {
            out.println(
                    Quantities.count(status.incompleteRequests(), "request")
                            + " without an end or with a hole: kept in the file, replayed only where there is no hole, and not with -c");
        }
        if (report.format() == ImportFormat.ACCESS_LOG) {
            out.println("Requests without a host go to " + host + " (--host); their times within a second are made up");
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

    /** Reads the name of a format. */
    static final class FormatConverter implements ITypeConverter<ImportFormat> {
        @Override
        public ImportFormat convert(String value) {
            return Keys.find(ImportFormat.values(), ImportFormat::label, value)
                    .orElseThrow(() -> new TypeConversionException(
                            "expected one of " + ImportFormat.labels() + ", found '" + value + "'"));
        }
    }

    /** Reads a number of requests per second, with its unit or without. */
    static final class RateConverter implements ITypeConverter<Double> {
        @Override
        public Double convert(String value) {
            try {
                double rate = Double.parseDouble(value.endsWith("/s") ? value.substring(0, value.length() - 2) : value);
                if (rate > 0 && rate <= MOST_RATE) {
                    return rate;
                }
            } catch (NumberFormatException e) {
                // told below
            }
            throw new TypeConversionException(
                    "expected a number of requests per second above 0 and at most 1e9, found '" + value + "'");
        }
    }

    /** Reads where a tap sat. */
    static final class TapSideConverter extends KeyConverter<ImportConfig.TapSide> {
        TapSideConverter() {
            super(
                    new ImportConfig.TapSide[] {ImportConfig.TapSide.LISTENER, ImportConfig.TapSide.CLUSTER},
                    side -> side.name().toLowerCase(Locale.ROOT));
        }
    }
}
