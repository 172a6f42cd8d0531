package dev.lockstep.conversion;

import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.OpenOptions;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/** Writes a capture for other tools. The capture is read as a stream; files are created with mode 0600. */
public final class TrafficExport {
    private static final int BUFFER_BYTES = 256 << 10;

    private TrafficExport() {}

    /**
     * Exports a capture; returns when the file is complete.
     *
     * @throws ConversionException when the file exists and is not to be replaced, or cannot be written
     * @throws dev.lockstep.capture.CaptureException when the capture cannot be read or is damaged
     */
    public static ExportReport run(ExportConfig config) {
        SameFile.refuse(List.of(config.input()), config.output());
        if (!config.overwrite() && Files.exists(config.output())) {
            throw new ConversionException(config.output(), "the file exists; --force replaces it");
        }
        OpenOptions options = OpenOptions.defaults().allowTruncated(true).encryption(config.key());
        if (config.format() == ExportFormat.PCAP) {
            return packets(config, options);
        }
        try (CaptureReader reader = CaptureReader.open(config.input(), options);
                OutputStream out = create(config.output(), config.overwrite())) {
            return config.format() == ExportFormat.GOR
                    ? new GorExport(out).write(reader)
                    : new HarExport(out, config.toolVersion()).write(reader);
        } catch (FileAlreadyExistsException e) {
            throw new ConversionException(config.output(), "the file exists; --force replaces it", e);
        } catch (IOException e) {
            throw new ConversionException(
                    config.output(),
                    "cannot be written: "
                            + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()),
                    e);
        }
    }

    private static ExportReport packets(ExportConfig config, OpenOptions options) {
        PcapExport written = PcapExport.run(config.input(), options, config.output(), config.overwrite());
        ImportReport.Findings skipped = new ImportReport.Findings();
        if (written.gaps() > 0) {
            skipped.add("places where bytes of clients are missing in the capture", null, written.gaps());
        }
        return new ExportReport(
                ExportFormat.PCAP, ExportReport.NOT_COUNTED, written.connections(), written.bytes(), skipped);
    }

    private static OutputStream create(Path path, boolean overwrite) throws IOException {
        if (overwrite) {
            Files.deleteIfExists(path);
        }
        Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new BufferedOutputStream(
                Channels.newOutputStream(Files.newByteChannel(
                        path,
                        options,
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))),
                BUFFER_BYTES);
    }
}
