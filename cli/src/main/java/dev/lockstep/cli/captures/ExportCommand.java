package dev.lockstep.cli.captures;

import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.command.Version;
import dev.lockstep.cli.options.CaptureKeyOptions;
import dev.lockstep.cli.options.KeyConverter;
import dev.lockstep.cli.options.OutputFileConverter;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.conversion.Finding;
import dev.lockstep.conversion.exports.ExportConfig;
import dev.lockstep.conversion.exports.ExportFormat;
import dev.lockstep.conversion.exports.ExportReport;
import dev.lockstep.conversion.exports.TrafficExport;
import dev.lockstep.measurement.Quantities;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code replay export}: writes a capture for other tools. */
@Command(
        name = "export",
        header = "Writes a capture for other tools.",
        description = "Writes a capture for other tools: GoReplay's .gor, HAR 1.2 (requests only) or pcap.",
        footer = {"  replay export capture.bin -o capture.pcap"},
        exitCodeList = {"0:Exported.", "1:Not exported.", "2:Wrong command line."})
public final class ExportCommand extends ToolCommand {
    private final Interruption interruption;

    @Parameters(paramLabel = "CAPTURE", description = "The capture file.")
    private Path capture;

    @Option(
            names = {"-o", "--output"},
            converter = OutputFileConverter.class,
            required = true,
            paramLabel = "FILE",
            description = "Required: the file to write; only you can read it.")
    private Path output;

    @Option(names = "--force", description = "Replaces FILE if it exists.")
    private boolean force;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            converter = FormatConverter.class,
            description = "gor, har or pcap. Default: what FILE's name ends with.")
    private ExportFormat format;

    @Mixin
    private CaptureKeyOptions key;

    /** @param interruption which ends it */
    public ExportCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        interruption.letCleanUp();
        ExportReport report;
        try {
            report = TrafficExport.run(ExportConfig.builder()
                    .input(capture)
                    .output(output)
                    .format(format)
                    .overwrite(force)
                    .cancelled(interruption::isRequested)
                    .key(key.key())
                    .toolVersion(Version.number())
                    .build());
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println("Exported "
                + (report.requests() == ExportReport.NOT_COUNTED
                        ? ""
                        : Quantities.count(report.requests(), "request") + " of ")
                + Quantities.count(report.connections(), "connection") + " (" + Quantities.bytes(report.bytes())
                + ") as " + report.format().label() + " into "
                + Terminal.printable(output.toString()));
        for (Finding finding : report.skipped()) {
            out.println("Skipped " + finding.count() + ": " + finding.reason());
        }
        out.flush();
        return ExitCode.DONE;
    }

    /** Reads the name of a format. */
    static final class FormatConverter extends KeyConverter<ExportFormat> {
        FormatConverter() {
            super(ExportFormat.values(), ExportFormat::label);
        }
    }
}
