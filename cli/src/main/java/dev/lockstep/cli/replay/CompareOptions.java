package dev.lockstep.cli.replay;

import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.Heading;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say whether and how the targets' answers are compared. Filled by picocli, then only read. */
@Heading("Comparing")
final class CompareOptions {
    private static final String LEARN = "learn";
    private static final String NONE = "none";
    private static final String KEEP = "keep";

    @Option(
            names = "--compare",
            description = "Compares each target's answers with the baseline's, request by request. Differences "
                    + "within one process of the baseline do not count.")
    private boolean compare;

    @Option(
            names = "--compare-ignore",
            paramLabel = "HEADER",
            split = ",",
            description = "Leaves a header out of the comparison, for example ETag. Joined by commas, or repeated.")
    private List<String> ignoredHeaders = new ArrayList<>();

    @Option(
            names = "--compare-noise",
            paramLabel = "HOW",
            description = "learn: send the first requests twice beforehand, writes included, to see what varies by "
                    + "itself. none: count every difference. Default: learn.")
    private String noise;

    @Option(
            names = "--compare-bodies",
            paramLabel = "WHAT",
            description = "keep: writes up to ten pairs of differing bodies per target, without secrets. none: writes "
                    + "no body. Default: keep.")
    private String bodies;

    /**
     * Checks what the options say together.
     *
     * @param targets how many there are
     * @throws UsageException naming the options that do not go together
     */
    void check(int targets) {
        if (!compare && (noise != null || bodies != null || !ignoredHeaders.isEmpty())) {
            throw new UsageException(
                    (noise != null ? "--compare-noise" : bodies != null ? "--compare-bodies" : "--compare-ignore")
                            + ": expected --compare beside it, found none");
        }
        if (noise != null && !noise.equals(LEARN) && !noise.equals(NONE)) {
            throw new UsageException("--compare-noise: expected learn or none, found '" + noise + "'");
        }
        if (bodies != null && !bodies.equals(KEEP) && !bodies.equals(NONE)) {
            throw new UsageException("--compare-bodies: expected keep or none, found '" + bodies + "'");
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

    /** Whether the run learns, before it measures, which answers vary. */
    boolean learnsNoise() {
        return !NONE.equals(noise);
    }

    /** Whether bodies that differ are written. */
    boolean keepsBodies() {
        return !NONE.equals(bodies);
    }

    /** Returns the headers to leave out, as given. */
    List<String> ignoredHeaders() {
        return ignoredHeaders;
    }
}
