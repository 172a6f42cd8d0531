package dev.lockstep.replayer;

import dev.lockstep.capture.Capture;
import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.AnswerComparison.Example;
import dev.lockstep.measurement.AnswerComparison.Part;
import dev.lockstep.measurement.ErrorKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares, request by request, what the targets of a run answered in their first pass over the capture with what the
 * first of them, the baseline, did. Made by {@link Replayer#compareAnswers}, filled by the event loops, and read by one
 * thread after {@link Replayer#finish}; needs no close, and may outlive the replayer but not the capture.
 *
 * <p>What differs is a part of an answer: its status, a header, its body or the length of that. A part that also differs
 * between two answers of the baseline itself to the same request is noise for that kind of request (its method and path
 * with numbers folded, or its Thrift function). Three answers of the baseline, two of the learning passes and the
 * measured one, make two such pairs a request. Then
 *
 * <ul>
 *   <li>a part without any noise counts wherever it differs, be it once;
 *   <li>a part with noise counts where it differs more often than noise explains: {@link FisherTest} of its count among
 *       the compared against that among the pairs, at a level of {@value #LEVEL} over all such parts of the target
 *       (Holm, A simple sequentially rejective multiple test procedure, 1979);
 *   <li>a status, or kind of failure, that the baseline never gave to that kind of request always counts.
 * </ul>
 *
 * <p>A kind of request that the learning passes did not come to is judged by the noise of all others together.
 *
 * <p>Of the requests that differ in noisy parts alone, as many are taken off as noise explains.
 */
public final class AnswerComparer {
    private static final double LEVEL = 0.01;

    private static final long ANSWER_BYTES = 128 << 20;
    private static final long SET_BYTES = 64 << 20;
    private static final long MOST_SET_BYTES = 16 << 20;
    private static final int LEARNING_REQUESTS = 100_000;

    private static final int MOST_KINDS = 2000;
    private static final int KINDS_SHOWN = 50;
    private static final int EXAMPLES_SHOWN = 10;

    /** Failures that are answers. */
    private static final Set<ErrorKind> ANSWERS =
            EnumSet.of(ErrorKind.THRIFT_EXCEPTION, ErrorKind.MUX_ERROR, ErrorKind.MUX_NACK);

    private static final String STATUS = "status";
    private static final String NO_ANSWER = "no answer";
    private static final String BODY_LENGTH = "body length";
    private static final String BODY = "body";
    private static final String HEADER = "header ";
    private static final String HEADERS = "headers";

    /** What the baseline does by itself with one kind of request. */
    private static final class Kind {
        final String name;
        final Set<Integer> outcomes = new HashSet<>();
        final Map<String, long[]> noise = new HashMap<>();
        long pairs;
        /** Whose noise it is judged by: its own, or that of all others where none was learned of it. */
        Kind reference = this;

        Kind(String name) {
            this.name = name;
        }

        void add(Kind other) {
            outcomes.addAll(other.outcomes);
            other.noise.forEach((part, count) -> noise.computeIfAbsent(part, p -> new long[1])[0] += count[0]);
            pairs += other.pairs;
        }

        long noise(String part) {
            long[] count = noise.get(part);
            return count == null ? 0 : count[0];
        }
    }

    /** How one target differs in one part of the answers to one kind of request. */
    private static final class PartDifference {
        final Kind kind;
        final String part;
        final Map<String, long[]> details = new LinkedHashMap<>();
        long differed;
        /** Of those, the ones with an outcome that the baseline never gave. */
        long unheardOf;
        /** Requests in which nothing but noisy parts counts, this one among them. */
        long noisyOnly;

        /** Whether it differs where the baseline never varies, or more often than that explains. */
        boolean beyondNoise;

        double pValue;

        PartDifference(Kind kind, String part) {
            this.kind = kind;
            this.part = part;
        }

        boolean isNoisy() {
            return kind.reference.noise(part) > 0;
        }

        boolean counts() {
            return beyondNoise || unheardOf > 0;
        }

        Part toPart() {
            String most = null;
            long count = 0;
            for (Map.Entry<String, long[]> detail : details.entrySet()) {
                if (detail.getValue()[0] > count) {
                    most = detail.getKey();
                    count = detail.getValue()[0];
                }
            }
            return new Part(part, differed, kind.noise(part), counts(), most);
        }
    }

    /** How one target differs in the answers to one kind of request. */
    private static final class KindDifference {
        final Kind kind;
        final Map<String, PartDifference> parts = new LinkedHashMap<>();
        long compared;
        /** Requests that differ in what the baseline does not vary. */
        long surely;
        /** Requests that differ in noisy parts that count, and in no others that do. */
        long noisyOnly;

        KindDifference(Kind kind) {
            this.kind = kind;
        }

        /** Returns how many differ; of those that noise may explain, the ones beyond what it does explain. */
        long different() {
            long beyond = 0;
            for (PartDifference part : parts.values()) {
                if (part.beyondNoise && part.isNoisy()) {
                    long explained =
                            Math.round((double) kind.reference.noise(part.part) / kind.reference.pairs * compared);
                    beyond = Math.max(beyond, part.noisyOnly - explained);
                }
            }
            return surely + Math.min(noisyOnly, beyond);
        }
    }

    private final Capture capture;
    private final long requests;
    private final TargetReplay baseline;
    private final Set<String> ignoredHeaders;
    private final Map<TargetReplay, AnswerLog> logs = new LinkedHashMap<>();
    private final RequestNames names;
    private final int learningRequests;
    private final int learningSetBytes;
    /** Answers of the baseline in the learning passes; null where there were none. */
    private AnswerLog[] learned = {};

    private List<Kind> kinds;
    private int[] kindOf;
    private final Map<TargetReplay, Map<Kind, KindDifference>> differences = new HashMap<>();

    /**
     * @param requests how many requests the first pass of the run has
     * @param targets the baseline first
     */
    AnswerComparer(Capture capture, long requests, List<TargetReplay> targets, Collection<String> ignoredHeaders) {
        this.capture = capture;
        this.requests = requests;
        this.baseline = targets.get(0);
        this.ignoredHeaders = new TreeSet<>();
        ignoredHeaders.forEach(name -> this.ignoredHeaders.add(name.toLowerCase(Locale.ROOT)));
        names = new RequestNames(capture);
        int covered = (int) Math.min(requests, ANSWER_BYTES / AnswerLog.BYTES_PER_REQUEST / targets.size());
        int setBytes = (int) Math.min(MOST_SET_BYTES, SET_BYTES / (targets.size() + 2));
        targets.forEach(target -> logs.put(target, new AnswerLog(covered, setBytes, this.ignoredHeaders)));
        learningRequests = Math.min(covered, LEARNING_REQUESTS);
        learningSetBytes = setBytes;
    }

    AnswerLog log(TargetReplay target) {
        return logs.get(target);
    }

    int learningRequests() {
        return learningRequests;
    }

    /** Begins a learning pass; returns where the baseline's answers go, and null for another target. */
    AnswerLog learningPass(TargetReplay target, int pass) {
        if (target != baseline) {
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

    /** Returns the target that the others are compared with. */
    public TargetReplay baseline() {
        return baseline;
    }

    /** Returns how a target's answers differ from the baseline's. */
    public AnswerComparison compare(TargetReplay target) {
        Map<Kind, KindDifference> byKind = differences(target);
        AnswerComparison.Builder result =
                AnswerComparison.builder(baseline.name()).requests(requests);
        ignoredHeaders.forEach(result::ignoredHeader);
        AnswerLog mine = logs.get(target);
        AnswerLog theirs = logs.get(baseline);
        long withoutContents = 0;
        for (int i = 0; i < kindOf.length; i++) {
            if (isCompared(theirs, mine, i)
                    && mine.outcome(i) < AnswerLog.FAILED
                    && theirs.outcome(i) < AnswerLog.FAILED
                    && !(mine.isWhole(i) && theirs.isWhole(i))) {
                withoutContents++;
            }
        }
        result.withoutContents(withoutContents);
        result.compared(
                byKind.values().stream().mapToLong(kind -> kind.compared).sum());
        result.different(
                byKind.values().stream().mapToLong(KindDifference::different).sum());
        if (learned.length > 0) {
            result.noisePairs(kinds.stream().mapToLong(kind -> kind.pairs).sum());
        }
        Map<String, Long> byPart = new HashMap<>();
        for (KindDifference kind : byKind.values()) {
            kind.parts.values().stream()
                    .filter(PartDifference::counts)
                    .forEach(part -> byPart.merge(part.part, part.differed, Long::sum));
        }
        byPart.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .forEach(part -> result.part(part.getKey(), part.getValue()));
        addKinds(byKind, result);
        addExamples(target, byKind, result);
        return result.build();
    }

    /**
     * Writes a line for each request that a target answered differently, and that counts, after a heading line: comma
     * separated values after RFC 4180, lines ended by a line feed.
     */
    public void writeDifferences(TargetReplay target, Appendable out) throws IOException {
        Map<Kind, KindDifference> byKind = differences(target);
        out.append("request,name,parts,noise,baseline,answer,baselineBodyBytes,bodyBytes\n");
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < kindOf.length; i++) {
            KindDifference kind = byKind.get(kinds.get(kindOf[i]));
            if (kind != null && counted(target, kind, i, parts)) {
                Example example = example(target, i, parts);
                out.append(Long.toString(example.request())).append(',');
                out.append(quoted(example.name())).append(',');
                out.append(quoted(String.join("; ", parts))).append(',');
                out.append(isSure(target, kind, i, parts) ? "" : "yes").append(',');
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
        boolean special = cell.chars().anyMatch(c -> c == ',' || c == '"');
        return special ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }

    // ---- what came of it ----------------------------------------------------------------------------------------

    private void addKinds(Map<Kind, KindDifference> byKind, AnswerComparison.Builder result) {
        List<KindDifference> worthTelling = new ArrayList<>();
        for (KindDifference kind : byKind.values()) {
            if (!kind.parts.isEmpty() || !kind.kind.noise.isEmpty()) {
                worthTelling.add(kind);
            }
        }
        worthTelling.sort(Comparator.comparingLong(KindDifference::different)
                .thenComparingLong(kind -> kind.compared)
                .reversed());
        for (KindDifference kind : worthTelling.subList(0, Math.min(KINDS_SHOWN, worthTelling.size()))) {
            List<Part> parts = new ArrayList<>();
            kind.parts.values().forEach(part -> parts.add(part.toPart()));
            for (String part : new TreeSet<>(kind.kind.noise.keySet())) {
                if (!kind.parts.containsKey(part)) {
                    parts.add(new Part(part, 0, kind.kind.noise(part), false, null));
                }
            }
            parts.sort(Comparator.comparing(Part::counted)
                    .thenComparingLong(Part::differed)
                    .thenComparingLong(Part::noise)
                    .reversed());
            result.kind(
                    new AnswerComparison.Kind(kind.kind.name, kind.compared, kind.different(), kind.kind.pairs, parts));
        }
        result.furtherKinds(Math.max(0, worthTelling.size() - KINDS_SHOWN));
    }

    /** Adds one request for each way in which a kind differs, then more of the first. */
    private void addExamples(TargetReplay target, Map<Kind, KindDifference> byKind, AnswerComparison.Builder result) {
        List<Example> first = new ArrayList<>();
        List<Example> more = new ArrayList<>();
        Set<String> ways = new HashSet<>();
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < kindOf.length && first.size() < EXAMPLES_SHOWN; i++) {
            KindDifference kind = byKind.get(kinds.get(kindOf[i]));
            if (kind == null || kind.different() == 0 || !counted(target, kind, i, parts)) {
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
        first.forEach(result::example);
    }

    private Example example(TargetReplay target, int request, List<String> parts) {
        AnswerLog theirs = logs.get(baseline);
        AnswerLog mine = logs.get(target);
        return new Example(
                request,
                names.name(request),
                parts,
                outcome(theirs.outcome(request)),
                outcome(mine.outcome(request)),
                bodyBytes(theirs, request),
                bodyBytes(mine, request));
    }

    private static OptionalLong bodyBytes(AnswerLog log, int request) {
        return log.outcome(request) >= AnswerLog.FAILED
                ? OptionalLong.empty()
                : OptionalLong.of(log.bodyBytes(request));
    }

    private static String outcome(int outcome) {
        if (outcome >= AnswerLog.FAILED) {
            return ErrorKind.values()[outcome - AnswerLog.FAILED].key();
        }
        // Protocols without a status have 0.
        return outcome == 1 ? "reply" : Integer.toString(outcome - 1);
    }

    // ---- what counts --------------------------------------------------------------------------------------------

    private Map<Kind, KindDifference> differences(TargetReplay target) {
        if (kinds == null) {
            learn();
        }
        return differences.computeIfAbsent(target, this::findDifferences);
    }

    /** Finds the kinds of all requests, and what varies among the baseline's own answers to each. */
    private void learn() {
        AnswerLog measured = logs.get(baseline);
        kinds = new ArrayList<>();
        kindOf = new int[measured.requests()];
        Map<String, Integer> numbers = new HashMap<>();
        for (int i = 0; i < kindOf.length; i++) {
            String name = names.kind(i);
            Integer number = numbers.get(name);
            if (number == null) {
                if (kinds.size() >= MOST_KINDS) {
                    name = name.substring(0, name.indexOf(' ') + 1) + "(other paths)";
                    number = numbers.get(name);
                }
                if (number == null) {
                    number = kinds.size();
                    numbers.put(name, number);
                    kinds.add(new Kind(name));
                }
            }
            kindOf[i] = number;
            hear(kinds.get(number), measured, i);
        }
        for (int pass = 0; pass < learned.length; pass++) {
            AnswerLog next = pass + 1 < learned.length ? learned[pass + 1] : measured;
            pair(learned[pass], next);
        }
        Kind all = new Kind("all");
        kinds.forEach(all::add);
        for (Kind kind : kinds) {
            if (kind.pairs == 0 && all.pairs > 0) {
                kind.reference = all;
            }
        }
    }

    private static void hear(Kind kind, AnswerLog log, int request) {
        if (log.outcome(request) != 0) {
            kind.outcomes.add(log.outcome(request));
        }
    }

    private void pair(AnswerLog earlier, AnswerLog later) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < earlier.requests(); i++) {
            Kind kind = kinds.get(kindOf[i]);
            hear(kind, earlier, i);
            if (isCompared(earlier, later, i)) {
                kind.pairs++;
                differing(earlier, later, i, parts);
                parts.forEach(part -> kind.noise.computeIfAbsent(part, p -> new long[1])[0]++);
            }
        }
    }

    private Map<Kind, KindDifference> findDifferences(TargetReplay target) {
        AnswerLog theirs = logs.get(baseline);
        AnswerLog mine = logs.get(target);
        Map<Kind, KindDifference> byKind = new LinkedHashMap<>();
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < kindOf.length; i++) {
            if (isCompared(theirs, mine, i)) {
                Kind kind = kinds.get(kindOf[i]);
                KindDifference difference = byKind.computeIfAbsent(kind, KindDifference::new);
                difference.compared++;
                differing(theirs, mine, i, parts);
                for (String part : parts) {
                    note(difference, part, theirs.outcome(i), mine.outcome(i));
                }
            }
        }
        decide(byKind);
        for (int i = 0; i < kindOf.length; i++) {
            KindDifference kind = byKind.get(kinds.get(kindOf[i]));
            if (kind != null && counted(target, kind, i, parts)) {
                if (isSure(target, kind, i, parts)) {
                    kind.surely++;
                } else {
                    kind.noisyOnly++;
                    parts.forEach(part -> kind.parts.get(part).noisyOnly++);
                }
            }
        }
        return byKind;
    }

    private static void note(KindDifference kind, String part, int theirs, int mine) {
        PartDifference difference = kind.parts.computeIfAbsent(part, name -> new PartDifference(kind.kind, name));
        difference.differed++;
        if (theirs != mine) {
            if (!kind.kind.reference.outcomes.contains(mine)) {
                difference.unheardOf++;
            }
            String detail = outcome(mine) + " instead of " + outcome(theirs);
            difference.details.computeIfAbsent(detail, text -> new long[1])[0]++;
        }
    }

    /** Decides which parts count: those without noise, and of the others those that Holm's procedure rejects. */
    private static void decide(Map<Kind, KindDifference> byKind) {
        List<PartDifference> noisy = new ArrayList<>();
        for (KindDifference kind : byKind.values()) {
            for (PartDifference part : kind.parts.values()) {
                part.beyondNoise = !part.isNoisy();
                if (part.isNoisy()) {
                    Kind reference = kind.kind.reference;
                    part.pValue = FisherTest.pValue(
                            part.differed, kind.compared, reference.noise(part.part), reference.pairs);
                    noisy.add(part);
                }
            }
        }
        noisy.sort(Comparator.comparingDouble(part -> part.pValue));
        for (int i = 0; i < noisy.size() && noisy.get(i).pValue <= LEVEL / (noisy.size() - i); i++) {
            noisy.get(i).beyondNoise = true;
        }
    }

    /** Finds the parts in which a request differs and that count; returns whether there are any. */
    private boolean counted(TargetReplay target, KindDifference kind, int request, List<String> parts) {
        AnswerLog theirs = logs.get(baseline);
        AnswerLog mine = logs.get(target);
        parts.clear();
        if (isCompared(theirs, mine, request)) {
            differing(theirs, mine, request, parts);
            parts.removeIf(part -> !kind.parts.get(part).beyondNoise && !isUnheardOf(target, kind, request));
        }
        return !parts.isEmpty();
    }

    /** Tells whether a request differs in something that the baseline does not vary. */
    private boolean isSure(TargetReplay target, KindDifference kind, int request, List<String> parts) {
        for (String part : parts) {
            if (!kind.parts.get(part).isNoisy()) {
                return true;
            }
        }
        return isUnheardOf(target, kind, request);
    }

    private boolean isUnheardOf(TargetReplay target, KindDifference kind, int request) {
        return !kind.kind.reference.outcomes.contains(logs.get(target).outcome(request));
    }

    private static boolean isCompared(AnswerLog a, AnswerLog b, int request) {
        return a.outcome(request) != 0 && b.outcome(request) != 0;
    }

    /** Finds the parts in which two answers differ. Where the status does, the rest follows from that. */
    private static void differing(AnswerLog a, AnswerLog b, int request, List<String> parts) {
        parts.clear();
        int outcome = a.outcome(request);
        if (outcome != b.outcome(request)) {
            parts.add(isAnswer(outcome) && isAnswer(b.outcome(request)) ? STATUS : NO_ANSWER);
            return;
        }
        if (outcome >= AnswerLog.FAILED) {
            return;
        }
        if (a.bodyBytes(request) != b.bodyBytes(request)) {
            parts.add(BODY_LENGTH);
        }
        if (a.isWhole(request) && b.isWhole(request)) {
            if (a.body(request) != b.body(request)) {
                parts.add(BODY);
            }
            headers(a, a.headerSet(request), b, b.headerSet(request), parts);
        }
    }

    /** Tells whether the target answered, be it with an exception of Thrift's or an error of mux. */
    private static boolean isAnswer(int outcome) {
        return outcome < AnswerLog.FAILED || ANSWERS.contains(ErrorKind.values()[outcome - AnswerLog.FAILED]);
    }

    private static void headers(AnswerLog a, int setA, AnswerLog b, int setB, List<String> parts) {
        if (a.setHash(setA) == b.setHash(setB)) {
            return;
        }
        if (!a.isListed(setA) || !b.isListed(setB)) {
            parts.add(HEADERS);
            return;
        }
        int before = parts.size();
        missingOrOther(a, setA, b, setB, parts);
        missingOrOther(b, setB, a, setA, parts);
        if (parts.size() == before) {
            parts.add(HEADERS);
        }
    }

    /** Adds the headers of one set that the other has not, or has with another value. */
    private static void missingOrOther(AnswerLog a, int setA, AnswerLog b, int setB, List<String> parts) {
        for (int i = 0; i < a.headers(setA); i++) {
            String name = a.headerName(setA, i);
            boolean same = false;
            for (int j = 0; j < b.headers(setB) && !same; j++) {
                same = a.headerHash(setA, i) == b.headerHash(setB, j)
                        && b.headerName(setB, j).equals(name);
            }
            if (!same && !parts.contains(HEADER + name)) {
                parts.add(HEADER + name);
            }
        }
    }
}
