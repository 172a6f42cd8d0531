package dev.lockstep.measurement;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.immutables.value.Value;

/**
 * How one target's answers differ from the baseline's, request by request, beyond what the baseline's own answers vary.
 * Immutable. Holds no contents of answers: statuses, lengths and names of headers only. {@code docs/answers.md} says
 * how it is decided what counts.
 */
@Value.Immutable
@JsonDeserialize(builder = AnswerComparison.Builder.class)
public abstract class AnswerComparison {
    /** A part of the answers to one kind of request: the status, a header, the body or its length. Immutable. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutablePart.Builder.class)
    public abstract static class Part {
        /** Before a detail that not all have that differ. */
        public static final String MOSTLY = "mostly ";

        /** @param detail may be null */
        public static Part of(String name, long differed, long noise, boolean counted, String detail) {
            return ImmutablePart.of(name, differed, noise, counted, Optional.ofNullable(detail));
        }

        /**
         * {@code status}, {@code no answer}, {@code body}, {@code body length}, {@code header NAME} or {@code headers}.
         */
        @JsonProperty(value = "part", required = true)
        public abstract String name();

        /** How many answers differ from the baseline's in it. */
        public abstract long differed();

        /** How many pairs of the baseline's own answers differ in it. */
        public abstract long noise();

        /** Whether the difference is more than that noise. */
        @Value.Default
        public boolean counted() {
            return false;
        }

        /** What most of them had, for people, such as {@code 500 instead of 200}. */
        public abstract Optional<String> detail();
    }

    /** The answers to one kind of request, such as {@code GET /users/N}. Immutable. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableKind.Builder.class)
    public abstract static class Kind {
        public static Kind of(String name, long compared, long different, long noisePairs, List<Part> parts) {
            return ImmutableKind.of(name, compared, different, noisePairs, parts);
        }

        /** Such as {@code GET /users/N}. */
        @JsonProperty(value = "kind", required = true)
        public abstract String name();

        /** How many were compared with the baseline's. */
        public abstract long compared();

        /** How many differ more than noise explains. */
        public abstract long different();

        /** Of how many pairs of the baseline's own answers the noise was learned. */
        public abstract long noisePairs();

        /** Those that differ, or that are noise. */
        @JsonProperty(value = "parts", required = true)
        public abstract List<Part> parts();
    }

    /** A request that was answered differently. Immutable. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableExample.Builder.class)
    public abstract static class Example {
        public static Example of(
                long request,
                String name,
                List<String> parts,
                String baselineOutcome,
                String outcome,
                OptionalLong baselineBodyBytes,
                OptionalLong bodyBytes) {
            return ImmutableExample.of(request, name, parts, baselineOutcome, outcome, baselineBodyBytes, bodyBytes);
        }

        /** Its number in the capture, from 0. */
        public abstract long request();

        /** Its method and path, without secrets. */
        public abstract String name();

        /** Which differ, and count. */
        @JsonProperty(value = "parts", required = true)
        public abstract List<String> parts();

        /** The baseline's status, or the kind of error where it gave no answer. */
        public abstract String baselineOutcome();

        /** The status of this target, or the kind of error. */
        public abstract String outcome();

        /** Absent where there was no answer. */
        public abstract OptionalLong baselineBodyBytes();

        /** Of this target. */
        public abstract OptionalLong bodyBytes();
    }

    /** Starts the comparison with the target of this name. */
    public static Builder builder(String baseline) {
        return new Builder().baseline(baseline);
    }

    /** Returns the name of the target that it is compared with. */
    public abstract String baseline();

    /** Returns how many requests a first pass over the capture sends in this run. */
    public abstract long requests();

    /** Returns how many of them were compared: those of which it is known at both targets what came of them. */
    public abstract long compared();

    /**
     * Returns of how many of the compared only status and length were, as their protocol's answers are not taken apart.
     */
    public abstract long withoutContents();

    /** Returns how many of the compared differ more than noise explains. */
    public abstract long different();

    /** Returns of how many pairs of the baseline's own answers noise was learned; absent where it was not to be. */
    public abstract OptionalLong noisePairs();

    /** Returns how many answers differ in a part and count, by the part's name; a request may be in several. */
    public abstract Map<String, Long> byPart();

    /** Returns up to 50 kinds of requests with differences or noise, most differences first. */
    @JsonProperty("byKind")
    public abstract List<Kind> kinds();

    /** Returns how many more such kinds there are. */
    @Value.Default
    public int furtherKinds() {
        return 0;
    }

    /** Returns up to ten requests answered differently, as different ones as there are. */
    public abstract List<Example> examples();

    /** Returns the headers that were left out on request, beside those that always are. */
    public abstract List<String> ignoredHeaders();

    /** Collects the fields. */
    public static final class Builder extends ImmutableAnswerComparison.Builder {
        Builder() {}
    }
}
