package dev.lockstep.results;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.LoadCounts;
import java.util.OptionalDouble;
import org.immutables.value.Value;

/**
 * What a launch did after its measured phase, when it got the capture's requests as fast as it answered them, in turns
 * with the other targets or at the same time.
 */
@Value.Immutable
@JsonDeserialize(builder = ImmutableFullLoad.Builder.class)
public abstract class FullLoad {
    /** @param steadyCpuNsPerRequest absent where the JIT's CPU is not known apart */
    public static FullLoad of(long durationNs, long requests, OptionalDouble steadyCpuNsPerRequest) {
        return ImmutableFullLoad.builder()
                .durationNs(durationNs)
                .requests(requests)
                .steadyCpuNsPerRequest(steadyCpuNsPerRequest)
                .build();
    }

    /** How long it was under this load, without its first second. */
    public abstract long durationNs();

    /** How many requests were answered in that time, and not with a status of 5xx. */
    public abstract long requests();

    /** Of them for each second: more than that the target does not do on its processors. */
    @Value.Derived
    public OptionalDouble throughputPerSec() {
        return LoadCounts.perSec(requests(), durationNs());
    }

    /**
     * CPU time of each of them without the JIT's; absent where that is not known apart, and where more requests failed
     * or were refused (4xx, 5xx) than in the measured phase, by more than 1 % of all.
     */
    public abstract OptionalDouble steadyCpuNsPerRequest();
}
