package dev.lockstep.cli.captures;

import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.CaptureTotals;
import dev.lockstep.capture.EncryptionKey;
import dev.lockstep.capture.Protocol;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.CaptureKeyOptions;
import dev.lockstep.cli.options.DurationConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.options.OutputFileConverter;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.conversion.filter.CaptureFilter;
import dev.lockstep.conversion.filter.FilterConfig;
import dev.lockstep.conversion.filter.FilterReport;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.redaction.RedactionPolicy;
import dev.lockstep.redaction.Unsearchable;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code replay filter}: makes a capture of parts of others. */
@Command(
        name = "filter",
        header = "Makes a new capture of parts of others.",
        description = "Makes a new capture of parts of others. A request is kept if all options allow it. "
                + "Several captures become one, each behind the one before.",
        footer = {
            "  replay filter capture.bin -o get.bin --method GET --path '/api/*'",
            "  replay filter mon.bin tue.bin -o sample.bin --sample 10%% --compress zstd"
        },
        exitCodeList = {"0:Written.", "1:Not written.", "2:Wrong command line."})
public final class FilterCommand extends ToolCommand {
    private static final int MOST_IN_RANGE = 1_000_000;

    private final Interruption interruption;

    @Parameters(arity = "1..*", paramLabel = "CAPTURE", description = "The captures to read.")
    private List<Path> inputs;

    @Heading("The file")
    @Option(
            names = {"-o", "--output"},
            converter = OutputFileConverter.class,
            required = true,
            paramLabel = "FILE",
            description = "Required: the capture to write; only you can read it.")
    private Path output;

    @Heading("The file")
    @Option(names = "--force", description = "Replaces FILE if it exists.")
    private boolean force;

    @Heading("What to keep")
    @Option(
            names = "--from",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description =
                    "Requests from this time on: since the start (90s, 5m) or by the clock (2026-11-21T10:00:00Z).")
    private Time from;

    @Heading("What to keep")
    @Option(
            names = "--to",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "Requests before this time, in either form.")
    private Time to;

    @Heading("What to keep")
    @Option(
            names = "--protocol",
            paramLabel = "NAME",
            split = ",",
            converter = ProtocolConverter.class,
            description = "Connections of these protocols, for example http/1 or thrift-framed-binary.")
    private Set<Protocol> protocols = Set.of();

    @Heading("What to keep")
    @Option(
            names = "--method",
            paramLabel = "METHOD",
            split = ",",
            converter = MethodConverter.class,
            description = "Requests of these HTTP methods, such as GET.")
    private Set<String> methods = Set.of();

    @Heading("What to keep")
    @Option(
            names = "--path",
            paramLabel = "GLOB",
            description =
                    "Requests with such a path, without its query: * is any characters, ? is one. May be repeated.")
    private List<String> paths = List.of();

    @Heading("What to keep")
    @Option(
            names = "--path-regex",
            paramLabel = "REGEX",
            converter = RegexConverter.class,
            description = "The same by a regular expression for the whole path.")
    private List<Pattern> pathPatterns = List.of();

    @Heading("What to keep")
    @Option(
            names = "--thrift-method",
            paramLabel = "GLOB",
            description = "Calls of such Thrift functions, with or without their service's name. May be repeated.")
    private List<String> thriftMethods = List.of();

    @Heading("What to keep")
    @Option(
            names = "--connection",
            paramLabel = "N[-M]",
            split = ",",
            description = "Connections with these numbers: 0,7,20-29.")
    private List<String> connections = List.of();

    @Heading("What to keep")
    @Option(
            names = "--sample",
            paramLabel = "SHARE",
            converter = ShareConverter.class,
            description = "A share of the connections, each whole or not at all, for example 10%%.")
    private Double sample;

    @Heading("What to keep")
    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Chooses which connections --sample takes; the same number takes the same. Default: "
                    + "${DEFAULT-VALUE}.")
    private long seed = 1;

    @Heading("What to keep")
    @Option(names = "--limit", paramLabel = "N", description = "The first N requests of what is left.")
    private Long limit;

    @Heading("Secrets")
    @Option(
            names = "--redact",
            description = "Replaces secrets by the built-in rules, as record does (docs/redaction.md).")
    private boolean redact;

    @Heading("Secrets")
    @Option(
            names = "--redact-rules",
            paramLabel = "RULES.yaml",
            description = "Replaces secrets by these rules as well as the built-in ones.")
    private Path redactRules;

    @Heading("Secrets")
    @Option(
            names = "--redact-key-file",
            paramLabel = "FILE",
            description = "Derives the tokens from this key, so that several captures share them.")
    private Path redactKeyFile;

    @Heading("Secrets")
    @Option(
            names = "--unsearchable",
            paramLabel = "WHAT",
            converter = RedactionOptions.UnsearchableConverter.class,
            description = "What becomes of bytes that cannot be searched: drop or keep. Default: drop.")
    private Unsearchable unsearchable;

    @Mixin
    private CaptureKeyOptions key;

    @Heading("Encryption")
    @Option(
            names = "--encrypt-key-file",
            paramLabel = "FILE",
            description = "Encrypts the new capture under this key. Default: under that of --key-file, if given.")
    private Path encryptKeyFile;

    @Heading("Encryption")
    @Option(names = "--decrypt", description = "Does not encrypt the new capture although --key-file names a key.")
    private boolean decrypt;

    @Mixin
    private CaptureFileOptions captureFile;

    /** @param interruption which ends it */
    public FilterCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        interruption.letCleanUp();
        if (sample == null && spec.commandLine().getParseResult().hasMatchedOption("--seed")) {
            throw new UsageException("--seed: expected --sample beside it, found none");
        }
        RedactionPolicy policy = redaction();
        FilterReport report = CaptureFilter.run(config(policy));
        print(report, policy, spec.commandLine().getOut());
        return report.written().failure() == null && !report.stopped() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private FilterConfig config(RedactionPolicy policy) {
        FilterConfig.Builder config = FilterConfig.builder()
                .inputs(inputs)
                .output(output)
                .protocols(protocols)
                .methods(methods)
                .connections(connectionNumbers())
                .seed(seed)
                .key(key.key())
                .redaction(policy)
                .cancelled(interruption::isRequested)
                .captureOptions(captureOptions());
        paths.forEach(config::path);
        pathPatterns.forEach(config::path);
        thriftMethods.forEach(config::thriftMethod);
        if (from != null && from.instant != null) {
            config.fromTime(from.instant);
        } else if (from != null) {
            config.fromNs(from.sinceStartNs);
        }
        if (to != null && to.instant != null) {
            config.toTime(to.instant);
        } else if (to != null) {
            config.toNs(to.sinceStartNs);
        }
        if (sample != null) {
            config.sample(sample);
        }
        if (limit != null) {
            config.limit(limit);
        }
        try {
            return config.build();
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private CaptureOptions.Builder captureOptions() {
        if (decrypt && encryptKeyFile != null) {
            throw new UsageException("--decrypt: expected no key to encrypt under, found --encrypt-key-file too");
        }
        EncryptionKey own = key.key();
        if (decrypt && own == null) {
            throw new UsageException("--decrypt: expected --key-file or --key-env beside it, found neither");
        }
        EncryptionKey encryption = decrypt
                ? null
                : encryptKeyFile != null ? CaptureKeyOptions.ofFile("--encrypt-key-file", encryptKeyFile) : own;
        return captureFile.builder(encryption).overwrite(force);
    }

    private RedactionPolicy redaction() {
        if (!redact && redactRules == null) {
            if (redactKeyFile != null || unsearchable != null) {
                throw new UsageException((redactKeyFile != null ? "--redact-key-file" : "--unsearchable")
                        + ": expected --redact or --redact-rules beside it, found neither");
            }
            return null;
        }
        for (Path input : inputs) {
            // Of import and record, --redact takes the rules.
            if (redact && input.toString().matches(".*[.]ya?ml")) {
                throw new UsageException(
                        "CAPTURE: expected a capture, found " + input + "; rules are given with --redact-rules");
            }
        }
        return RedactionOptions.policy(redactRules, redactKeyFile, null, unsearchable);
    }

    private Set<Integer> connectionNumbers() {
        Set<Integer> numbers = new TreeSet<>();
        for (String range : connections) {
            String[] ends = range.split("-", -1);
            try {
                int first = Integer.parseInt(ends[0].trim());
                int last = ends.length == 1 ? first : Integer.parseInt(ends[1].trim());
                if (ends.length > 2 || first < 0 || last < first) {
                    throw new NumberFormatException();
                }
                if (last - first >= MOST_IN_RANGE) {
                    throw new UsageException("--connection: expected a range of at most " + MOST_IN_RANGE
                            + " connections, found '" + range + "'");
                }
                IntStream.rangeClosed(first, last).forEach(numbers::add);
            } catch (NumberFormatException e) {
                throw new UsageException("--connection: expected numbers such as 7 or 20-29, found '" + range + "'");
            }
        }
        return numbers;
    }

    private void print(FilterReport report, RedactionPolicy policy, PrintWriter out) {
        if (policy != null) {
            RedactionOptions.unsearched(policy).forEach(out::println);
        }
        CaptureTotals written = report.written();
        out.println("Kept " + written.requests() + " of " + Quantities.count(report.requestsRead(), "request") + " on "
                + written.connections() + " of " + Quantities.count(report.connectionsRead(), "connection") + " ("
                + Quantities.bytes(written.bytes()) + ") in " + Terminal.printable(output.toString()));
        if (report.leftOutByPath() > 0) {
            out.println("Left out " + Quantities.count(report.leftOutByPath(), "request")
                    + " with another path, which is matched as a whole, without its query");
        }
        if (written.failure() != null) {
            out.println("The filter stopped early: " + CaptureInfo.reason(written.failure()));
            out.println("Could not write "
                    + Quantities.count(written.lostRequests() - report.lostRequestsBefore(), "request")
                    + " (" + Quantities.bytes(written.lostBytes() - report.lostBytesBefore()) + ") of "
                    + Quantities.count(written.lostConnections() - report.lostConnectionsBefore(), "connection")
                    + (report.stopped() ? "; what follows them was not read" : ""));
        }
        if (report.stopped() && written.failure() == null) {
            out.println("The filter was ended by a signal; what follows was not read");
        }
        if (report.lostConnectionsBefore() > 0 || report.lostRequestsBefore() > 0 || report.lostBytesBefore() > 0) {
            out.println("Lost already before: " + Quantities.count(report.lostRequestsBefore(), "request") + " ("
                    + Quantities.bytes(report.lostBytesBefore()) + ") of "
                    + Quantities.count(report.lostConnectionsBefore(), "connection"));
        }
        if (report.cutBytes() > 0) {
            out.println("Left out " + Quantities.bytes(report.cutBytes()) + " at torn ends");
        }
        report.missing().forEach(line -> out.println("INCOMPLETE: " + Terminal.printable(line)));
        report.repeated().forEach(line -> out.println(Terminal.printable(line)));
        if (policy != null) {
            out.println("Redacted " + Quantities.count(report.redactions(), "value"));
        }
        out.flush();
    }

    /** Reads the name of an HTTP method. Blanks around it, as behind the commas of a list, do not count. */
    static final class MethodConverter implements ITypeConverter<String> {
        private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

        @Override
        public String convert(String value) {
            String name = value.strip();
            if (!NAME.matcher(name).matches()) {
                throw new TypeConversionException("expected methods such as GET,HEAD, found '" + value + "'");
            }
            return name;
        }
    }

    /** A moment of a capture, in either form. */
    static final class Time {
        final Instant instant;
        final long sinceStartNs;

        Time(Instant instant, long sinceStartNs) {
            this.instant = instant;
            this.sinceStartNs = sinceStartNs;
        }
    }

    /** Reads times. */
    static final class TimeConverter implements ITypeConverter<Time> {
        @Override
        public Time convert(String value) {
            try {
                if (value.indexOf('T') > 0) {
                    return new Time(OffsetDateTime.parse(value).toInstant(), 0);
                }
                return new Time(null, new DurationConverter().convert(value).toNanos());
            } catch (DateTimeException | TypeConversionException e) {
                throw new TypeConversionException("expected a time since the start such as 90s, or a moment such as "
                        + "2026-11-21T10:00:00Z, found '" + value + "'");
            }
        }
    }

    /** Reads regular expressions. */
    static final class RegexConverter implements ITypeConverter<Pattern> {
        @Override
        public Pattern convert(String value) {
            try {
                return Pattern.compile(value);
            } catch (PatternSyntaxException e) {
                throw new TypeConversionException(
                        "expected a regular expression, found '" + value + "': " + e.getDescription());
            }
        }
    }

    /** Reads shares as percentages or as numbers up to 1. */
    static final class ShareConverter implements ITypeConverter<Double> {
        @Override
        public Double convert(String value) {
            try {
                double number =
                        Double.parseDouble(value.endsWith("%") ? value.substring(0, value.length() - 1) : value);
                double share = value.endsWith("%") ? number / 100 : number;
                if (share > 0 && share <= 1) {
                    return share;
                }
            } catch (NumberFormatException e) {
                // told below
            }
            throw new TypeConversionException("expected a share such as 10% or 0.1, found '" + value + "'");
        }
    }
}
