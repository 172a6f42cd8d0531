package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import java.util.List;
import java.util.OptionalLong;
import org.immutables.value.Value;

/** What came of a target's requests of one endpoint: a method with a path template, or a Thrift function. Immutable. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableEndpointResult.Builder.class)
public abstract class EndpointResult {
    private static final List<Level> LEVELS = List.of(Level.P50, Level.P99);

    static EndpointResult of(EndpointLoad load, Percentiles times) {
        ImmutableEndpointResult.Builder result = ImmutableEndpointResult.builder()
                .name(load.name())
                .count(load.count())
                .errors(load.errors());
        if (times.count() > 0) {
            result.p50Ns(times.at(Level.P50)).p99Ns(times.at(Level.P99));
            LEVELS.stream().filter(level -> !times.supports(level)).forEach(level -> result.unsupported(level.key()));
            LEVELS.stream().filter(level -> !times.stands(level)).forEach(level -> result.atLeast(level.key()));
        }
        return result.build();
    }

    /**
     * Such as {@code GET /users/N}, {@code Users.get} or {@code POST /thrift ping}: as recorded, without queries, with
     * N for numbers and ID for ids. {@code (other)} is all endpoints beyond the 200 most frequent of the capture.
     */
    public abstract String name();

    /** Its requests that were due; those of all endpoints are {@code sent} and {@code unsent}. */
    public abstract long count();

    /** Of these, those without a good answer until the end, those that could not be sent, and answers with 5xx. */
    public abstract long errors();

    /**
     * The median of their response times, with two significant digits; absent without an answer that has a time. A
     * request without an answer counts as in the target's distributions.
     */
    public abstract OptionalLong p50Ns();

    /** The 99th percentile. */
    public abstract OptionalLong p99Ns();

    /** Those of {@code p50} and {@code p99} with fewer than ten requests above them; missing for none. */
    @JsonInclude(Include.NON_EMPTY)
    abstract List<String> unsupported();

    /** Those that requests without an answer reach, so that the figure is the least that they can be. */
    @JsonInclude(Include.NON_EMPTY)
    abstract List<String> atLeast();

    /** A percentile, if there are enough values for it to mean something. */
    public OptionalLong supported(Level level) {
        return unsupported().contains(level.key()) ? OptionalLong.empty() : level == Level.P50 ? p50Ns() : p99Ns();
    }

    /** Whether a percentile is that of an answered request; else it is at least the figure given. */
    public boolean stands(Level level) {
        return !atLeast().contains(level.key());
    }
}
