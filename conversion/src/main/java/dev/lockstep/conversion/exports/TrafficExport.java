package dev.lockstep.conversion.exports;

import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.conversion.ConversionException;
import dev.lockstep.conversion.Findings;
import dev.lockstep.conversion.SameFile;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes a capture for other tools. The capture is read as a stream. Files are created with mode 0600, and deleted when
 * they cannot be completed.
 */
public final class TrafficExport {
    private TrafficExport() {}

    /**
     * Returns when the file is complete.
     *
     * @throws ConversionException when the file exists and is not to be replaced, cannot be written, or would be empty
     * @throws dev.lockstep.capture.CaptureException when the capture cannot be read or is damaged
     */
    public static ExportReport run(ExportConfig config) {
        SameFile.refuse(List.of(config.input()), config.output());
        OpenOptions options = OpenOptions.defaults().allowTruncated(true).encryption(config.key());
        try (CaptureReader reader = CaptureReader.open(config.input(), options);
                ExportFile file = ExportFile.create(config.output(), config.overwrite())) {
            ExportReport report = write(config, reader, file.stream());
            if (report.connections() == 0) {
                throw new ConversionException(config.output(), "not written: " + nothing(config, report));
            }
            file.complete();
            return report;
        } catch (IOException e) {
            throw ExportFile.unwritable(config.output(), e);
        }
    }

    private static ExportReport write(ExportConfig config, CaptureReader reader, OutputStream out) throws IOException {
        Runnable check = () -> {
            if (config.cancelled().getAsBoolean()) {
                throw new ConversionException(config.output(), "not written: the export was ended by a signal");
            }
        };
        switch (config.chosenFormat()) {
            case GOR:
                return new GorExport(out).write(reader, check);
            case HAR:
                return new HarExport(out, config.toolVersion()).write(reader, check);
            default:
                return PcapExport.write(reader, out, check);
        }
    }

    private static String nothing(ExportConfig config, ExportReport report) {
        String why = report.skipped().stream()
                .map(finding -> "left out " + finding.count() + ": " + finding.reason())
                .collect(Collectors.joining(", "));
        return "expected something in " + config.input() + " that "
                + report.format().label() + " can hold, found none: "
                + (why.isEmpty()
                        ? "it has no " + (report.format() == ExportFormat.PCAP ? "connections" : "requests")
                        : why)
                + (why.isEmpty() || report.format() == ExportFormat.PCAP
                        ? ""
                        : "; --format pcap takes the bytes of all protocols");
    }

    /** Counts the bytes that are cut off at the end of a capture, after it was read to its end. */
    static void noteCut(CaptureReader reader, Findings skipped) {
        skipped.add("bytes at the torn end of the capture", null, reader.info().cutBytes());
        if (reader.info().missing() != null) {
            skipped.add(reader.info().missing(), null);
        }
    }
}
