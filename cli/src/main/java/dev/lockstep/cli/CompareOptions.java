package dev.lockstep.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say whether and how the targets' answers are compared. Filled by picocli, then only read. */
final class CompareOptions {
    private static final String LEARN = "learn";
    private static final String NONE = "none";

    @Option(
            names = "--compare",
            order = 29,
            description = "Compare the answers of the targets with those of the baseline, request by request: status, "
                    + "headers, body. What varies in its own answers is learned beforehand and not counted.")
    private boolean compare;

    @Option(
            names = "--compare-ignore",
            paramLabel = "HEADER",
            split = ",",
            order = 30,
            description = "Leaves a header out of the comparison, for example ETag; joined by commas or repeated. "
                    + "Date, hop-by-hop headers and ids of requests are always left out.")
    private List<String> ignoredHeaders = new ArrayList<>();

    @Option(
            names = "--compare-noise",
            paramLabel = "HOW",
            order = 31,
            description = "learn (send the first requests twice more to each target before the measurement, writes "
                    + "included, and see what varies) or none (count every difference). Default: learn.")
    private String noise;

    /**
     * Checks what the options say together.
     *
     * @param targets how many there are
     * @throws UsageException naming the options that do not go together
     */
    void check(int targets) {
        if (!compare && (noise != null || !ignoredHeaders.isEmpty())) {
            throw new UsageException((noise != null ? "--compare-noise" : "--compare-ignore")
                    + ": expected --compare beside it, found none");
        }
        if (noise != null && !noise.equals(LEARN) && !noise.equals(NONE)) {
            throw new UsageException("--compare-noise: expected learn or none, found '" + noise + "'");
        }
        for (String header : ignoredHeaders) {
            if (!header.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")) {
                throw new UsageException("--compare-ignore: expected the name of a header, found '" + header + "'");
            }
        }
        if (compare && targets < 2) {
            throw new UsageException("--compare: expected at least two targets, whose answers are compared, found one");
        }
    }

    boolean isOn() {
        return compare;
    }

    /** Tells whether it is learned beforehand what varies. */
    boolean learnsNoise() {
        return !NONE.equals(noise);
    }

    /** Returns the headers to leave out, as given. */
    List<String> ignoredHeaders() {
        return ignoredHeaders;
    }
}
