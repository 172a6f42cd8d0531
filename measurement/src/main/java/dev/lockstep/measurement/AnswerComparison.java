package dev.lockstep.measurement;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How one target's answers differ from the baseline's, request by request, beyond what the baseline's own answers vary.
 * Immutable. Holds no contents of answers: statuses, lengths and names of headers only. {@code docs/answers.md} says
 * how it is decided what counts.
 */
public final class AnswerComparison {
    @JsonProperty
    private final String baseline;

    @JsonProperty
    private final long requests;

    @JsonProperty
    private final long compared;

    @JsonProperty
    private final long withoutContents;

    @JsonProperty
    private final long different;

    @JsonProperty
    private final OptionalLong noisePairs;

    @JsonProperty
    private final Map<String, Long> byPart;

    @JsonProperty("byKind")
    private final List<Kind> kinds;

    @JsonProperty
    private final int furtherKinds;

    @JsonProperty
    private final List<Example> examples;

    @JsonProperty
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
        @JsonProperty("part")
        private final String name;

        @JsonProperty
        private final long differed;

        @JsonProperty
        private final long noise;

        @JsonProperty
        private final boolean counted;

        @JsonProperty
        @JsonInclude(Include.NON_NULL)
        private final String detail;

        /**
         * @param name {@code status}, {@code no answer}, {@code body}, {@code body length}, {@code header NAME} or
         *     {@code headers}
         * @param differed how many answers differ from the baseline's in it
         * @param noise how many pairs of the baseline's own answers differ in it
         * @param counted whether the difference is more than that noise
         * @param detail what most of them had, for people, such as {@code 500 instead of 200}
         */
        @JsonCreator
        public Part(
                @JsonProperty(value = "part", required = true) String name,
                @JsonProperty(value = "differed", required = true) long differed,
                @JsonProperty(value = "noise", required = true) long noise,
                @JsonProperty(value = "counted") boolean counted,
                @JsonProperty(value = "detail") String detail) {
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

        private List<Object> fields() {
            return Arrays.asList(name, differed, noise, counted, detail);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Part && fields().equals(((Part) other).fields());
        }

        @Override
        public int hashCode() {
            return fields().hashCode();
        }

        @Override
        public String toString() {
            return fields().toString();
        }
    }

    /** The answers to one kind of request, such as {@code GET /users/N}. Immutable. */
    public static final class Kind {
        /** Such as {@code GET /users/N}. */
        @JsonProperty("kind")
        private final String name;

        @JsonProperty
        private final long compared;

        @JsonProperty
        private final long different;

        @JsonProperty
        private final long noisePairs;

        @JsonProperty
        private final List<Part> parts;

        /**
         * @param compared how many were compared with the baseline's
         * @param different how many differ more than noise explains
         * @param noisePairs of how many pairs of the baseline's own answers the noise was learned
         * @param parts those that differ, or that are noise
         */
        @JsonCreator
        public Kind(
                @JsonProperty(value = "kind", required = true) String name,
                @JsonProperty(value = "compared", required = true) long compared,
                @JsonProperty(value = "different", required = true) long different,
                @JsonProperty(value = "noisePairs", required = true) long noisePairs,
                @JsonProperty(value = "parts", required = true) List<Part> parts) {
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

        private List<Object> fields() {
            return Arrays.asList(name, compared, different, noisePairs, parts);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Kind && fields().equals(((Kind) other).fields());
        }

        @Override
        public int hashCode() {
            return fields().hashCode();
        }

        @Override
        public String toString() {
            return fields().toString();
        }
    }

    /** A request that was answered differently. Immutable. */
    public static final class Example {
        @JsonProperty
        private final long request;

        @JsonProperty
        private final String name;

        @JsonProperty
        private final List<String> parts;

        @JsonProperty
        private final String baselineOutcome;

        /** The status of this target, or the kind of error. */
        @JsonProperty
        private final String outcome;

        @JsonProperty
        private final OptionalLong baselineBodyBytes;

        /** Of this target. */
        @JsonProperty
        private final OptionalLong bodyBytes;

        /**
         * @param request its number in the capture, from 0
         * @param name its method and path, without secrets
         * @param parts which differ, and count
         * @param baselineOutcome the baseline's status, or the kind of error where it gave no answer
         * @param baselineBodyBytes absent where there was no answer
         */
        @JsonCreator
        public Example(
                @JsonProperty(value = "request", required = true) long request,
                @JsonProperty(value = "name", required = true) String name,
                @JsonProperty(value = "parts", required = true) List<String> parts,
                @JsonProperty(value = "baselineOutcome", required = true) String baselineOutcome,
                @JsonProperty(value = "outcome", required = true) String outcome,
                @JsonProperty(value = "baselineBodyBytes") OptionalLong baselineBodyBytes,
                @JsonProperty(value = "bodyBytes") OptionalLong bodyBytes) {
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

        private List<Object> fields() {
            return Arrays.asList(request, name, parts, baselineOutcome, outcome, baselineBodyBytes, bodyBytes);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Example && fields().equals(((Example) other).fields());
        }

        @Override
        public int hashCode() {
            return fields().hashCode();
        }

        @Override
        public String toString() {
            return fields().toString();
        }
    }

    /** Starts the comparison with the target of this name. */
    public static Builder builder(String baseline) {
        return new Builder().baseline(baseline);
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

    /**
     * Returns of how many of the compared only status and length were, as their protocol's answers are not taken apart.
     */
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

    /** Returns up to 50 kinds of requests with differences or noise, most differences first. */
    public List<Kind> kinds() {
        return kinds;
    }

    /** Returns how many more such kinds there are. */
    public int furtherKinds() {
        return furtherKinds;
    }

    /** Returns up to ten requests answered differently, as different ones as there are. */
    public List<Example> examples() {
        return examples;
    }

    /** Returns the headers that were left out on request, beside those that always are. */
    public List<String> ignoredHeaders() {
        return ignoredHeaders;
    }

    private List<Object> fields() {
        return List.of(
                baseline,
                requests,
                compared,
                withoutContents,
                different,
                noisePairs,
                byPart,
                kinds,
                furtherKinds,
                examples,
                ignoredHeaders);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AnswerComparison && fields().equals(((AnswerComparison) other).fields());
    }

    @Override
    public int hashCode() {
        return fields().hashCode();
    }

    @Override
    public String toString() {
        return fields().toString();
    }

    /** Collects the fields. */
    public static final class Builder {
        private String baseline;
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

        private Builder() {}

        @JsonProperty(required = true)
        private Builder baseline(String name) {
            this.baseline = name;
            return this;
        }

        @JsonProperty(required = true)
        public Builder requests(long requests) {
            this.requests = requests;
            return this;
        }

        @JsonProperty(required = true)
        public Builder compared(long compared) {
            this.compared = compared;
            return this;
        }

        @JsonProperty(value = "withoutContents", required = true)
        public Builder withoutContents(long withoutContents) {
            this.withoutContents = withoutContents;
            return this;
        }

        @JsonProperty(required = true)
        public Builder different(long different) {
            this.different = different;
            return this;
        }

        @JsonProperty
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

        @JsonProperty
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

        @JsonProperty("byPart")
        private Builder parts(Map<String, Long> differed) {
            differed.forEach(this::part);
            return this;
        }

        @JsonProperty("byKind")
        private Builder kinds(List<Kind> all) {
            kinds.addAll(all);
            return this;
        }

        @JsonProperty
        private Builder examples(List<Example> all) {
            examples.addAll(all);
            return this;
        }

        @JsonProperty
        private Builder ignoredHeaders(List<String> names) {
            ignoredHeaders.addAll(names);
            return this;
        }

        public AnswerComparison build() {
            return new AnswerComparison(this);
        }
    }
}
