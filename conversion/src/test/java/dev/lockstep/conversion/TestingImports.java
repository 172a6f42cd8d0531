package dev.lockstep.conversion;

import dev.lockstep.capture.CaptureReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Imports files in a folder of a test and reads what came of them. */
final class TestingImports {
    private final Path folder;
    private int captures;

    TestingImports(Path folder) {
        this.folder = folder;
    }

    /** Returns a file with bytes that are written as characters of ISO 8859-1. */
    Path file(String name, String content) throws IOException {
        return Files.write(folder.resolve(name), content.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** One import. */
    static final class Result {
        final ImportReport report;
        final Path capture;

        Result(ImportReport report, Path capture) {
            this.report = report;
            this.capture = capture;
        }

        /** Returns each complete request as "connection time text", time in ns since the capture's start. */
        List<String> requests() throws IOException {
            return TestingImports.requests(capture, true);
        }

        /** Returns the text of each complete request. */
        List<String> texts() throws IOException {
            return TestingImports.requests(capture, false);
        }

        List<String> skipped() {
            List<String> lines = new ArrayList<>();
            report.skipped()
                    .forEach(finding -> lines.add(finding.count() + " " + finding.reason() + " " + finding.places()));
            return lines;
        }

        List<String> changed() {
            List<String> lines = new ArrayList<>();
            report.changed()
                    .forEach(finding -> lines.add(finding.count() + " " + finding.reason() + " " + finding.places()));
            return lines;
        }
    }

    Result run(Path file) {
        return run(List.of(file), config -> config);
    }

    Result run(List<Path> files, UnaryOperator<ImportConfig.Builder> options) {
        Path capture = folder.resolve("capture-" + captures++ + ".bin");
        ImportConfig.Builder config = ImportConfig.builder().inputs(files).output(capture);
        return new Result(TrafficImport.run(options.apply(config).build()), capture);
    }

    static List<String> requests(Path capture, boolean placed) throws IOException {
        List<String> requests = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            long startNs = reader.info().startedAt().getEpochSecond() * 1_000_000_000L
                    + reader.info().startedAt().getNano();
            new WholeRequests(new ImportReport.Findings())
                    .read(
                            reader,
                            (connection, epochNs, request) ->
                                    requests.add((placed ? connection.number + " " + (epochNs - startNs) + " " : "")
                                            + new String(request, StandardCharsets.ISO_8859_1)));
        }
        return requests;
    }

    /** Returns all bytes of clients, connection by connection, gaps as {@code <gap>}. */
    static List<String> streams(Path capture) {
        List<String> streams = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(capture)) {
            reader.forEach(record -> {
                while (record.connection() >= streams.size()) {
                    streams.add("");
                }
                if (record.connection() >= 0 && record.type() != null) {
                    String more;
                    switch (record.type()) {
                        case DATA_C2S:
                            more = StandardCharsets.ISO_8859_1
                                    .decode(record.payload().duplicate())
                                    .toString();
                            break;
                        case GAP:
                            more = "<gap " + record.missingBytes() + ">";
                            break;
                        case HALF_CLOSE:
                            more = "<end>";
                            break;
                        default:
                            more = "";
                    }
                    streams.set(record.connection(), streams.get(record.connection()) + more);
                }
                return true;
            });
        }
        return streams;
    }
}
