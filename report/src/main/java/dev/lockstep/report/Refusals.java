package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Which targets refused requests for want of a login that is valid now: they answered 401 or 403 more often than the
 * recorded server did. Logins expire, and redaction replaces them.
 */
final class Refusals {
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    /** How much larger than in the recording the share of such answers is where they are told of. */
    private static final double MORE_THAN_RECORDED = 0.01;
    /** How large it is where the capture does not say how the recorded server answered. */
    private static final double LARGE = 0.05;
    /** What stands in place of a capture's path where the request was made of a URL. */
    private static final Pattern URL = Pattern.compile("(?i)https?://");

    private final RunResult result;

    Refusals(RunResult result) {
        this.result = result;
    }

    /** Returns a line for each such target. */
    List<String> loud() {
        Map<Integer, Long> recorded = result.plan().capture().statusCodes();
        double recordedShare = share(recorded);
        double least = recorded.isEmpty() ? LARGE : recordedShare + MORE_THAN_RECORDED;
        List<String> lines = new ArrayList<>();
        for (TargetResult target : result.targets()) {
            Map<Integer, Long> answers =
                    target.counts().map(LoadCounts::statusCodes).orElse(Map.of());
            double share = share(answers);
            if (share > least) {
                lines.add(Figures.format(
                        "REFUSED: %s: %d of %d answers (%.1f %%) were 401 or 403%s: %s with --set-header"
                                + " 'Authorization: ...', --token or --token-command",
                        printable(target.name()),
                        refused(answers),
                        all(answers),
                        100 * share,
                        recorded.isEmpty() ? "" : Figures.format(", %.1f %% in the recording", 100 * recordedShare),
                        URL.matcher(result.plan().capture().path()).lookingAt()
                                ? "the request has no login that is valid; give it one"
                                : "logins of the recording are expired or redacted; send live ones"));
            }
        }
        return lines;
    }

    private static long refused(Map<Integer, Long> answers) {
        return answers.getOrDefault(UNAUTHORIZED, 0L) + answers.getOrDefault(FORBIDDEN, 0L);
    }

    private static long all(Map<Integer, Long> answers) {
        return answers.values().stream().mapToLong(Long::longValue).sum();
    }

    private static double share(Map<Integer, Long> answers) {
        return answers.isEmpty() ? 0 : (double) refused(answers) / all(answers);
    }
}
