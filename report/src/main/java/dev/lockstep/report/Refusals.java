package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;

/**
 * Which targets refused requests that the recorded server did not: for want of a login that is valid now (401 and 403;
 * logins expire, and redaction replaces them), or for another reason (other 4xx; a target without the recorded
 * service's data answers 404). Such answers are fast, and as good as errors for who compares targets.
 */
final class Refusals {
    private static final int CLIENT_ERRORS = 4;
    private static final int SERVER_ERRORS = 5;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int TOO_MANY_REQUESTS = 429;
    /** How much larger than in the recording the share of such answers is where they are told of. */
    private static final double MORE_THAN_RECORDED = 0.01;
    /** How large it is where the capture does not say how the recorded server answered. */
    private static final double LARGE = 0.05;
    /** The same for other refusals, of which ids that do not exist any more are some in any replay. */
    private static final double OTHERS_MORE_THAN_RECORDED = 0.05;

    private static final double OTHERS_LARGE = 0.5;
    /** What stands in place of a capture's path where the request was made of a URL. */
    private static final Pattern URL = Pattern.compile("(?i)https?://");

    private final RunResult result;

    Refusals(RunResult result) {
        this.result = result;
    }

    /** Returns a line for each such target. */
    List<String> loud() {
        Map<Integer, Long> recorded = result.plan().capture().statusCodes();
        double recordedShare = share(recorded, Refusals::isLogin);
        double least = recorded.isEmpty() ? LARGE : recordedShare + MORE_THAN_RECORDED;
        double recordedOthers = share(recorded, Refusals::isOther);
        double leastOthers = recorded.isEmpty() ? OTHERS_LARGE : recordedOthers + OTHERS_MORE_THAN_RECORDED;
        List<String> lines = new ArrayList<>();
        for (TargetResult target : result.targets()) {
            Map<Integer, Long> answers =
                    target.counts().map(LoadCounts::statusCodes).orElse(Map.of());
            if (target.knowsStatusClassesOnly()) {
                ofClass(target.name(), answers, recorded, lines);
                continue;
            }
            double share = share(answers, Refusals::isLogin);
            if (share > least) {
                lines.add(Figures.format(
                        "REFUSED: %s: %d of %d answers (%.1f %%) were 401 or 403%s: %s with --set-header"
                                + " 'Authorization: ...', --token or --token-command",
                        printable(target.name()),
                        count(answers, Refusals::isLogin),
                        count(answers, code -> true),
                        100 * share,
                        inRecording(recorded, recordedShare),
                        URL.matcher(result.plan().capture().path()).lookingAt()
                                ? "the request has no login that is valid; give it one"
                                : "logins of the recording are expired or redacted; send live ones"));
            }
            double others = share(answers, Refusals::isOther);
            if (others > leastOthers) {
                int most = answers.entrySet().stream()
                        .filter(entry -> isOther(entry.getKey()))
                        .max(Map.Entry.comparingByValue())
                        .orElseThrow()
                        .getKey();
                lines.add(Figures.format(
                        "CLIENT ERRORS: %s: %d of %d answers (%.1f %%) were 4xx, most of them %d%s: %s; errors are not"
                                + " slow",
                        printable(target.name()),
                        count(answers, Refusals::isOther),
                        count(answers, code -> true),
                        100 * others,
                        most,
                        inRecording(recorded, recordedOthers),
                        most == TOO_MANY_REQUESTS
                                ? "it limits the rate; send less (-q) or raise its limit"
                                : "it may lack the data or the paths that are asked for"));
            }
        }
        return lines;
    }

    /**
     * Returns how many requests a target answered well. Refusals and errors of its own are no good answers; but where
     * the recorded server gave no others, a target that does the same does well.
     */
    long answeredWell(LoadCounts counts) {
        Map<Integer, Long> recorded = result.plan().capture().statusCodes();
        if (share(recorded, code -> isRefusal(code) || isServerError(code)) < 1) {
            return counts.successful() - counts.statusClass(CLIENT_ERRORS);
        }
        return share(recorded, Refusals::isServerError) == 0 ? counts.successful() : counts.completed;
    }

    /** Compares all of 4xx with all that was recorded: which of them they were died with the run. */
    private static void ofClass(
            String target, Map<Integer, Long> answers, Map<Integer, Long> recorded, List<String> lines) {
        double share = share(answers, Refusals::isRefusal);
        double recordedShare = share(recorded, Refusals::isRefusal);
        double least = recorded.isEmpty() ? OTHERS_LARGE : recordedShare + OTHERS_MORE_THAN_RECORDED;
        if (share > least) {
            lines.add(Figures.format(
                    "CLIENT ERRORS: %s: %d of %d answers (%.1f %%) were 4xx%s: logins may have expired, or it may lack the"
                            + " data or the paths that are asked for; which they were is not known of a recovered"
                            + " run",
                    printable(target),
                    count(answers, Refusals::isRefusal),
                    count(answers, code -> true),
                    100 * share,
                    inRecording(recorded, recordedShare)));
        }
    }

    private static String inRecording(Map<Integer, Long> recorded, double share) {
        return recorded.isEmpty() ? "" : Figures.format(", %.1f %% in the recording", 100 * share);
    }

    private static boolean isLogin(int code) {
        return code == UNAUTHORIZED || code == FORBIDDEN;
    }

    private static boolean isRefusal(int code) {
        return code / 100 == CLIENT_ERRORS;
    }

    static boolean isServerError(int code) {
        return code / 100 == SERVER_ERRORS;
    }

    private static boolean isOther(int code) {
        return isRefusal(code) && !isLogin(code);
    }

    private static long count(Map<Integer, Long> answers, IntPredicate which) {
        return answers.entrySet().stream()
                .filter(entry -> which.test(entry.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Returns how many of these answers are such, as a share; 0 where there are none. */
    static double share(Map<Integer, Long> answers, IntPredicate which) {
        return answers.isEmpty() ? 0 : (double) count(answers, which) / count(answers, code -> true);
    }
}
