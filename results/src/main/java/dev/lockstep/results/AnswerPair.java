package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.Optional;
import org.immutables.value.Value;

/**
 * What the baseline and a target answered to one request, where that differs: a line of {@code <target>.bodies.jsonl}.
 * Immutable.
 */
@Value.Immutable
@JsonDeserialize(builder = AnswerPair.Builder.class)
public abstract class AnswerPair {
    /** The beginning of a body, without its secrets. Immutable. */
    @Value.Immutable
    @JsonDeserialize(builder = Body.Builder.class)
    public abstract static class Body {
        public static Builder builder() {
            return new Builder();
        }

        /** Its Content-Type; absent without one. */
        public abstract Optional<String> contentType();

        /** How long it was in all, as it came. */
        public abstract long bytes();

        /** Its beginning, where it is UTF-8. */
        public abstract Optional<String> text();

        /** Its beginning in hexadecimal digits, where it is not. */
        public abstract Optional<String> hex();

        /** Why there is neither, for people. */
        public abstract Optional<String> absent();

        /** Whether there was more of it. */
        @JsonInclude(Include.NON_DEFAULT)
        @Value.Default
        public boolean cut() {
            return false;
        }

        /** {@link #build} throws IllegalStateException without a length. */
        public static final class Builder extends ImmutableBody.Builder {
            Builder() {}
        }
    }

    public static Builder builder(long request, String name) {
        return new Builder().request(request).name(name);
    }

    /** The number of the request in the capture, from 0. */
    @JsonProperty(required = true)
    public abstract long request();

    /** Its method and masked path, or its Thrift function. */
    @JsonProperty(required = true)
    public abstract String name();

    /** The status, or the kind of failure, as in the examples of {@code run.json}. */
    public abstract String baselineOutcome();

    public abstract String outcome();

    /** Absent where it was not kept, or nothing was answered. */
    public abstract Optional<Body> baseline();

    /** Likewise. */
    public abstract Optional<Body> answer();

    /** {@link #build} throws IllegalStateException without the outcomes. */
    public static final class Builder extends ImmutableAnswerPair.Builder {
        Builder() {}
    }
}
