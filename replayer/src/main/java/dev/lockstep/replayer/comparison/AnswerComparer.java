package dev.lockstep.replayer.comparison;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.AnswerComparison.Example;
import dev.lockstep.replayer.requests.RequestNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Compares, request by request, what the targets of a run answered in their first pass over the capture with what the
 * first of them, the baseline, did. Made by {@code Replayer.compareAnswers}, filled by the event loops, and read by one
 * thread after {@code Replayer.finish}; needs no close, and may outlive the replayer but not the capture.
 *
 * <p>What differs is a part of an answer: its status, a header, its body or the length of that. A part that also
 * differs between two answers of the baseline itself to the same request is noise for that kind of request (its method
 * and path with numbers folded, or its Thrift function). Three answers of the baseline, two of the learning passes and
 * the measured one, make two such pairs a request. Where another target is the same program again ({@link #sameAs}),
 * its measured answer makes a pair in their place: what differs from process to process is noise then, too. Then
 *
 * <ul>
 *   <li>a part without any noise counts wherever it differs, be it once;
 *   <li>a part with noise counts where it differs more often than noise explains: Fisher's exact test of its count
 *       among the compared against that among the pairs, at a level of {@value TargetDifferences#LEVEL} over all such
 *       parts of the target (Holm, A simple sequentially rejective multiple test procedure, 1979);
 *   <li>a status, or kind of failure, that the baseline never gave to that kind of request always counts.
 * </ul>
 *
 * <p>A kind of request that the learning passes did not reach is judged by the noise of all others together.
 *
 * <p>From the requests that differ in noisy parts alone, as many are subtracted as noise explains.
 */
public final class AnswerComparer {
    private static final Pattern FORMULA = Pattern.compile("\\s*[=+\\-@]");

    private static final long ANSWER_BYTES = 128 << 20;
    private static final long SET_BYTES = 64 << 20;
    private static final long MOST_SET_BYTES = 16 << 20;
    /** Of all targets together; 30,000 answers of 500 bytes. */
    private static final int BODIES_BYTES = 16 << 20;

    private static final int LEARNING_REQUESTS = 100_000;

    private static final int KINDS_SHOWN = 50;
    private static final int EXAMPLES_SHOWN = 10;

    private final long requests;
    private final String baseline;
    private final Set<String> ignoredHeaders;
    private final Map<String, AnswerLog> logs = new LinkedHashMap<>();
    private final RequestNames names;
    private final int learningRequests;
    private final int learningSetBytes;
    /** Answers of the baseline in the learning passes; empty where there were none. */
    private AnswerLog[] learned = {};
    /** The target that is the baseline's program in another process, or null. */
    private String same;
    /** Null until the first target is compared, as the next one. */
    private RequestKinds kinds;
    /** For that target, which is not to be judged by itself. */
    private RequestKinds kindsOfSame;

    private final Map<String, TargetDifferences> differences = new HashMap<>();

    /**
     * @param requests how many requests the first pass of the run has
     * @param targets names, which differ; the baseline first
     * @param bodies whether the first bodies are kept, for {@link #pairs}
     */
    public AnswerComparer(
            Capture capture, long requests, List<String> targets, Collection<String> ignoredHeaders, boolean bodies) {
        this.requests = requests;
        this.baseline = targets.get(0);
        this.ignoredHeaders = ignoredHeaders.stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
        names = new RequestNames(capture);
        int covered = (int) Math.min(requests, ANSWER_BYTES / AnswerLog.BYTES_PER_REQUEST / targets.size());
        int setBytes = (int) Math.min(MOST_SET_BYTES, SET_BYTES / (targets.size() + 2));
        targets.forEach(target -> logs.put(
                target,
                new AnswerLog(
                        covered,
                        setBytes,
                        this.ignoredHeaders,
                        bodies ? new AnswerBodies(BODIES_BYTES / targets.size()) : null)));
        learningRequests = Math.min(covered, LEARNING_REQUESTS);
        learningSetBytes = setBytes;
    }

    // ---- filled while targets run ---------------------------------------------------------------------------------

    /** What takes a target's answers. */
    public AnswerLog log(String target) {
        return logs.get(target);
    }

    /** Says that a target is the baseline's program in another process; before anything is compared. */
    public void sameAs(String target) {
        same = target;
    }

    /** How many requests a learning pass has. */
    public int learningRequests() {
        return learningRequests;
    }

    /** Begins a learning pass; returns where the baseline's answers go, and null for another target. */
    public AnswerLog learningPass(String target, int pass) {
        if (!target.equals(baseline)) {
            return null;
        }
        if (pass == 0) {
            learned = new AnswerLog[] {
                new AnswerLog(learningRequests, learningSetBytes, ignoredHeaders),
                new AnswerLog(learningRequests, learningSetBytes, ignoredHeaders)
            };
        }
        return learned[pass];
    }

    // ---- what came of it ------------------------------------------------------------------------------------------

    private TargetDifferences differences(String target) {
        if (kinds == null) {
            AnswerLog measured = logs.get(baseline);
            kindsOfSame = new RequestKinds(names, measured, learned, null);
            kinds = same == null ? kindsOfSame : new RequestKinds(names, measured, learned, logs.get(same));
        }
        return differences.computeIfAbsent(
                target,
                name -> new TargetDifferences(
                        name.equals(same) ? kindsOfSame : kinds, logs.get(baseline), logs.get(name)));
    }

    /** Says how a target's answers differ from the baseline's. */
    public AnswerComparison compare(String target) {
        TargetDifferences differing = differences(target);
        AnswerComparison.Builder result = AnswerComparison.builder(baseline).requests(requests);
        ignoredHeaders.forEach(result::ignoredHeader);
        result.withoutContents(differing.withoutContents());
        result.compared(
                differing.kinds().stream().mapToLong(kind -> kind.compared).sum());
        result.different(
                differing.kinds().stream().mapToLong(KindDifference::different).sum());
        if (learned.length > 0) {
            result.noisePairs(differing.noisePairs());
        }
        addParts(differing, result);
        addKinds(differing, result);
        examples(target, differing).forEach(result::example);
        return result.build();
    }

    private static void addParts(TargetDifferences differing, AnswerComparison.Builder result) {
        Map<String, Long> byPart = new HashMap<>();
        for (KindDifference kind : differing.kinds()) {
            kind.parts().stream()
                    .filter(PartDifference::counts)
                    .forEach(part -> byPart.merge(part.part, part.differed, Long::sum));
        }
        byPart.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .forEach(part -> result.byPart(part.getKey(), part.getValue()));
    }

    private static void addKinds(TargetDifferences differing, AnswerComparison.Builder result) {
        List<KindDifference> worthTelling = differing.kinds().stream()
                .filter(KindDifference::isWorthTelling)
                .sorted(Comparator.comparingLong(KindDifference::different)
                        .thenComparingLong(kind -> kind.compared)
                        .reversed())
                .collect(Collectors.toList());
        worthTelling.stream().limit(KINDS_SHOWN).forEach(kind -> result.kind(kind.toKind()));
        result.furtherKinds(Math.max(0, worthTelling.size() - KINDS_SHOWN));
    }

    /** Two answers to one request that differ, with what was kept of their bodies. */
    public static final class Pair {
        private final Example example;
        private final Optional<AnswerBody> baseline;
        private final Optional<AnswerBody> answer;

        private Pair(Example example, AnswerBody baseline, AnswerBody answer) {
            this.example = example;
            this.baseline = Optional.ofNullable(baseline);
            this.answer = Optional.ofNullable(answer);
        }

        public Example example() {
            return example;
        }

        /** Returns the baseline's; absent where it was not kept or there was no answer, as the target's. */
        public Optional<AnswerBody> baseline() {
            return baseline;
        }

        public Optional<AnswerBody> answer() {
            return answer;
        }
    }

    /** Returns the examples of {@link #compare} with their bodies; empty where none are kept. */
    public List<Pair> pairs(String target) {
        List<Example> examples = examples(target, differences(target));
        Set<Integer> requests = examples.stream()
                .map(example -> Math.toIntExact(example.request()))
                .collect(Collectors.toSet());
        Map<Integer, AnswerBody> theirs = logs.get(baseline).bodies(requests);
        Map<Integer, AnswerBody> mine = logs.get(target).bodies(requests);
        return examples.stream()
                .map(example -> {
                    int request = Math.toIntExact(example.request());
                    return new Pair(example, theirs.get(request), mine.get(request));
                })
                .filter(pair -> pair.baseline.isPresent() || pair.answer.isPresent())
                .collect(Collectors.toList());
    }

    /** Returns one request for each way in which a kind differs, then more of the first. */
    private List<Example> examples(String target, TargetDifferences differing) {
        List<Example> first = new ArrayList<>();
        List<Example> more = new ArrayList<>();
        Set<String> ways = new HashSet<>();
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < kinds.requests() && first.size() < EXAMPLES_SHOWN; i++) {
            KindDifference kind = differing.of(i);
            if (kind == null || kind.different() == 0 || !differing.counted(i, parts)) {
                continue;
            }
            if (ways.add(kind.kind.name + parts)) {
                first.add(example(target, i, parts));
            } else if (more.size() < EXAMPLES_SHOWN) {
                more.add(example(target, i, parts));
            }
        }
        first.addAll(more.subList(0, Math.min(more.size(), EXAMPLES_SHOWN - first.size())));
        first.sort(Comparator.comparingLong(Example::request));
        return first;
    }

    /**
     * Writes a line for each request that a target answered differently, and that counts, after a heading line: comma
     * separated values after RFC 4180, lines ended by a line feed.
     */
    public void writeDifferences(String target, Appendable out) throws IOException {
        TargetDifferences differing = differences(target);
        out.append("request,name,parts,noise,baseline,answer,baselineBodyBytes,bodyBytes\n");
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < kinds.requests(); i++) {
            if (differing.counted(i, parts)) {
                Example example = example(target, i, parts);
                out.append(Long.toString(example.request())).append(',');
                out.append(quoted(example.name())).append(',');
                out.append(quoted(String.join("; ", parts))).append(',');
                out.append(differing.isSure(i, parts) ? "" : "yes").append(',');
                out.append(example.baselineOutcome()).append(',');
                out.append(example.outcome()).append(',');
                out.append(number(example.baselineBodyBytes())).append(',');
                out.append(number(example.bodyBytes())).append('\n');
            }
        }
    }

    private static String number(OptionalLong number) {
        return number.isPresent() ? Long.toString(number.getAsLong()) : "";
    }

    private static String quoted(String cell) {
        // A spreadsheet would take a name that begins so for a formula, and takes an apostrophe for the mark of a text.
        String text = FORMULA.matcher(cell).lookingAt() ? "'" + cell : cell;
        boolean special = text.chars().anyMatch(c -> c == ',' || c == '"');
        return special ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }

    private Example example(String target, int request, List<String> parts) {
        AnswerLog theirs = logs.get(baseline);
        AnswerLog mine = logs.get(target);
        return Example.of(
                request,
                names.name(request),
                parts,
                AnswerLog.describe(theirs.outcome(request)),
                AnswerLog.describe(mine.outcome(request)),
                bodyBytes(theirs, request),
                bodyBytes(mine, request));
    }

    private static OptionalLong bodyBytes(AnswerLog log, int request) {
        return log.outcome(request) >= AnswerLog.FAILED
                ? OptionalLong.empty()
                : OptionalLong.of(log.bodyBytes(request));
    }
}
