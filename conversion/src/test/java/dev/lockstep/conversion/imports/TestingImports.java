package dev.lockstep.conversion.imports;

import dev.lockstep.conversion.exports.TestingCaptures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Imports files in a folder of a test and reads what came of them. */
public final class TestingImports {
    private final Path folder;
    private int captures;

    public TestingImports(Path folder) {
        this.folder = folder;
    }

    /** Returns a file with bytes that are written as characters of ISO 8859-1. */
    public Path file(String name, String content) throws IOException {
        return Files.write(folder.resolve(name), content.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** One import. */
    public static final class Result {
        public final ImportReport report;
        public final Path capture;

        Result(ImportReport report, Path capture) {
            this.report = report;
            this.capture = capture;
        }

        /** Returns each complete request as "connection time text", time in ns since the capture's start. */
        public List<String> requests() throws IOException {
            return TestingCaptures.requests(capture, true);
        }

        /** Returns the text of each complete request. */
        public List<String> texts() throws IOException {
            return TestingCaptures.requests(capture, false);
        }

        public List<String> skipped() {
            List<String> lines = new ArrayList<>();
            report.skipped()
                    .forEach(finding -> lines.add(finding.count() + " " + finding.reason() + " " + finding.places()));
            return lines;
        }

        public List<String> changed() {
            List<String> lines = new ArrayList<>();
            report.changed()
                    .forEach(finding -> lines.add(finding.count() + " " + finding.reason() + " " + finding.places()));
            return lines;
        }
    }

    public Result run(Path file) {
        return run(List.of(file), config -> config);
    }

    public Result run(List<Path> files, UnaryOperator<ImportConfig.Builder> options) {
        Path capture = folder.resolve("capture-" + captures++ + ".bin");
        ImportConfig.Builder config = ImportConfig.builder().inputs(files).output(capture);
        return new Result(TrafficImport.run(options.apply(config).build()), capture);
    }
}
