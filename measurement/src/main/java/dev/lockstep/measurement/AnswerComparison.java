package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How one target's answers differ from the baseline's, request by request, beyond what the baseline's own answers vary.
 * Immutable. Holds no contents of answers: statuses, lengths and names of headers only. {@code docs/replaying.md} says how
 * it is decided what counts.
 */
public final class AnswerComparison {
    private final String baseline;
    private final long requests;
    private final long compared;
    private final long withoutContents;
    private final long different;
    private final OptionalLong noisePairs;
    private final Map<String, Long> byPart;
    private final List<Kind> kinds;
    private final int furtherKinds;
    private final List<Example> examples;
    private final List<String> ignoredHeaders;

    private AnswerComparison(Builder builder) {
        baseline = builder.baseline;
        requests = builder.requests;
        compared = builder.compared;
        withoutContents = builder.withoutContents;
        different = builder.different;
        noisePairs = builder.noisePairs;
        byPart = new LinkedHashMap<>(builder.byPart);
        kinds = List.copyOf(builder.kinds);
        furtherKinds = builder.furtherKinds;
        examples = List.copyOf(builder.examples);
        ignoredHeaders = List.copyOf(builder.ignoredHeaders);
    }

    /** A part of the answers to one kind of request: the status, a header, the body or its length. Immutable. */
    public static final class Part {
        private final String name;
        private final long differed;
        private final long noise;
        private final boolean counted;
        private final String detail;

        /**
         * @param name {@code status}, {@code no answer}, {@code body}, {@code body length} or {@code header NAME}
         * @param differed how many answers differ from the baseline's in it
         * @param noise how many pairs of the baseline's own answers differ in it
         * @param counted whether the difference is more than that noise
         * @param detail what most of them had, for people, such as {@code 500 instead of 200}; null where it is not kept
         */
        public Part(String name, long differed, long noise, boolean counted, String detail) {
            this.name = name;
            this.differed = differed;
            this.noise = noise;
            this.counted = counted;
            this.detail = detail;
        }

        public String name() {
            return name;
        }

        public long differed() {
            return differed;
        }

        public long noise() {
            return noise;
        }

        public boolean counted() {
            return counted;
        }

        public Optional<String> detail() {
            return Optional.ofNullable(detail);
        }

        private ObjectNode toJson() {
            ObjectNode json = JsonFields.object();
            json.put("part", name);
            json.put("differed", differed);
            json.put("noise", noise);
            json.put("counted", counted);
            JsonFields.put(json, "detail", detail);
            return json;
        }

        private static Part fromJson(JsonFields json) {
            return new Part(
                    json.text("part"),
                    json.number("differed"),
                    json.number("noise"),
                    json.flag("counted"),
                    json.textOrNull("detail"));
        }
    }

    /** The answers to one kind of request, such as {@code GET /users/N}. Immutable. */
    public static final class Kind {
        private final String name;
        private final long compared;
        private final long different;
        private final long noisePairs;
        private final List<Part> parts;

        /**
         * @param compared how many were compared with the baseline's
         * @param different how many differ more than noise explains
         * @param noisePairs of how many pairs of the baseline's own answers the noise was learned
         * @param parts those that differ, or that are noise
         */
        public Kind(String name, long compared, long different, long noisePairs, List<Part> parts) {
            this.name = name;
            this.compared = compared;
            this.different = different;
            this.noisePairs = noisePairs;
            this.parts = List.copyOf(parts);
        }

        public String name() {
            return name;
        }

        public long compared() {
            return compared;
        }

        public long different() {
            return different;
        }

        public long noisePairs() {
            return noisePairs;
        }

        public List<Part> parts() {
            return parts;
        }

        private ObjectNode toJson() {
            ObjectNode json = JsonFields.object();
            json.put("kind", name);
            json.put("compared", compared);
            json.put("different", different);
            json.put("noisePairs", noisePairs);
            ArrayNode array = json.putArray("parts");
            parts.forEach(part -> array.add(part.toJson()));
            return json;
        }

        private static Kind fromJson(JsonFields json) {
            List<Part> parts = new ArrayList<>();
            json.objects("parts").forEach(part -> parts.add(Part.fromJson(part)));
            return new Kind(
                    json.text("kind"),
                    json.number("compared"),
                    json.number("different"),
                    json.number("noisePairs"),
                    parts);
        }
    }

    /** A request that was answered differently. Immutable. */
    public static final class Example {
        private final long request;
        private final String name;
        private final List<String> parts;
        private final String baselineOutcome;
        private final String outcome;
        private final OptionalLong baselineBodyBytes;
        private final OptionalLong bodyBytes;

        /**
         * @param request its number in the capture, from 0
         * @param name its method and path, without secrets
         * @param parts which differ, and count
         * @param baselineOutcome the baseline's status, or the kind of error where it gave no answer
         * @param baselineBodyBytes absent where there was no answer
         */
        public Example(
                long request,
                String name,
                List<String> parts,
                String baselineOutcome,
                String outcome,
                OptionalLong baselineBodyBytes,
                OptionalLong bodyBytes) {
            this.request = request;
            this.name = name;
            this.parts = List.copyOf(parts);
            this.baselineOutcome = baselineOutcome;
            this.outcome = outcome;
            this.baselineBodyBytes = baselineBodyBytes;
            this.bodyBytes = bodyBytes;
        }

        public long request() {
            return request;
        }

        public String name() {
            return name;
        }

        public List<String> parts() {
            return parts;
        }

        public String baselineOutcome() {
            return baselineOutcome;
        }

        public String outcome() {
            return outcome;
        }

        public OptionalLong baselineBodyBytes() {
            return baselineBodyBytes;
        }

        public OptionalLong bodyBytes() {
            return bodyBytes;
        }

        private ObjectNode toJson() {
            ObjectNode json = JsonFields.object();
            json.put("request", request);
            json.put("name", name);
            JsonFields.put(json, "parts", parts);
            json.put("baselineOutcome", baselineOutcome);
            json.put("outcome", outcome);
            JsonFields.put(json, "baselineBodyBytes", baselineBodyBytes);
            JsonFields.put(json, "bodyBytes", bodyBytes);
            return json;
        }

        private static Example fromJson(JsonFields json) {
            return new Example(
                    json.number("request"),
                    json.text("name"),
                    json.texts("parts"),
                    json.text("baselineOutcome"),
                    json.text("outcome"),
                    json.numberOrAbsent("baselineBodyBytes"),
                    json.numberOrAbsent("bodyBytes"));
        }
    }

    /** Starts the comparison with the target of this name. */
    public static Builder builder(String baseline) {
        return new Builder(baseline);
    }

    /** Returns the name of the target that it is compared with. */
    public String baseline() {
        return baseline;
    }

    /** Returns how many requests a first pass over the capture sends in this run. */
    public long requests() {
        return requests;
    }

    /** Returns how many of them were compared: those of which it is known at both targets what came of them. */
    public long compared() {
        return compared;
    }

    /** Returns of how many of the compared only status and length were, as their protocol's answers are not taken apart. */
    public long withoutContents() {
        return withoutContents;
    }

    /** Returns how many of the compared differ more than noise explains. */
    public long different() {
        return different;
    }

    /** Returns of how many pairs of the baseline's own answers noise was learned; absent where it was not to be. */
    public OptionalLong noisePairs() {
        return noisePairs;
    }

    /** Returns how many answers differ in a part and count, by the part's name; a request may be in several. */
    public Map<String, Long> byPart() {
        return new LinkedHashMap<>(byPart);
    }

    /** Returns the kinds of requests with differences or noise, most differences first; not those beyond a limit. */
    public List<Kind> kinds() {
        return kinds;
    }

    /** Returns how many such kinds are beyond the limit. */
    public int furtherKinds() {
        return furtherKinds;
    }

    /** Returns some that differ, as different ones as there are. */
    public List<Example> examples() {
        return examples;
    }

    /** Returns the headers that were left out on request, beside those that always are. */
    public List<String> ignoredHeaders() {
        return ignoredHeaders;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("baseline", baseline);
        json.put("requests", requests);
        json.put("compared", compared);
        json.put("withoutContents", withoutContents);
        json.put("different", different);
        JsonFields.put(json, "noisePairs", noisePairs);
        ObjectNode parts = json.putObject("byPart");
        byPart.forEach(parts::put);
        ArrayNode kindArray = json.putArray("byKind");
        kinds.forEach(kind -> kindArray.add(kind.toJson()));
        json.put("furtherKinds", furtherKinds);
        ArrayNode exampleArray = json.putArray("examples");
        examples.forEach(example -> exampleArray.add(example.toJson()));
        JsonFields.put(json, "ignoredHeaders", ignoredHeaders);
        return json;
    }

    static AnswerComparison fromJson(JsonFields json) {
        Builder builder = new Builder(json.text("baseline"));
        builder.requests = json.number("requests");
        builder.compared = json.number("compared");
        builder.withoutContents = json.number("withoutContents");
        builder.different = json.number("different");
        builder.noisePairs = json.numberOrAbsent("noisePairs");
        builder.byPart.putAll(json.counts("byPart"));
        json.objects("byKind").forEach(kind -> builder.kind(Kind.fromJson(kind)));
        builder.furtherKinds = json.has("furtherKinds") ? (int) json.number("furtherKinds") : 0;
        json.objects("examples").forEach(example -> builder.example(Example.fromJson(example)));
        builder.ignoredHeaders.addAll(json.texts("ignoredHeaders"));
        return builder.build();
    }

    /** Collects the fields. */
    public static final class Builder {
        private final String baseline;
        private long requests;
        private long compared;
        private long withoutContents;
        private long different;
        private OptionalLong noisePairs = OptionalLong.empty();
        private final Map<String, Long> byPart = new LinkedHashMap<>();
        private final List<Kind> kinds = new ArrayList<>();
        private int furtherKinds;
        private final List<Example> examples = new ArrayList<>();
        private final List<String> ignoredHeaders = new ArrayList<>();

        private Builder(String baseline) {
            this.baseline = baseline;
        }

        public Builder requests(long requests) {
            this.requests = requests;
            return this;
        }

        public Builder compared(long compared) {
            this.compared = compared;
            return this;
        }

        public Builder withoutContents(long withoutContents) {
            this.withoutContents = withoutContents;
            return this;
        }

        public Builder different(long different) {
            this.different = different;
            return this;
        }

        public Builder noisePairs(long pairs) {
            this.noisePairs = OptionalLong.of(pairs);
            return this;
        }

        public Builder part(String name, long differed) {
            byPart.merge(name, differed, Long::sum);
            return this;
        }

        public Builder kind(Kind kind) {
            kinds.add(kind);
            return this;
        }

        public Builder furtherKinds(int furtherKinds) {
            this.furtherKinds = furtherKinds;
            return this;
        }

        public Builder example(Example example) {
            examples.add(example);
            return this;
        }

        public Builder ignoredHeader(String name) {
            ignoredHeaders.add(name);
            return this;
        }

        public AnswerComparison build() {
            return new AnswerComparison(this);
        }
    }
}
