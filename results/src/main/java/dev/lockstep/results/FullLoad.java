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
    /** The JIT has little left to do when it takes no more than this of the CPU. */
    public static final double LOW_JIT_SHARE = 0.1;

    /** @param steadyCpuNsPerRequest absent where the JIT's CPU is not known apart, or nothing was answered */
    public static FullLoad of(long durationNs, long requests, OptionalDouble steadyCpuNsPerRequest) {
        return ImmutableFullLoad.builder()
                .durationNs(durationNs)
                .requests(requests)
                .steadyCpuNsPerRequest(steadyCpuNsPerRequest)
                .build();
    }

    /** Returns what a launch did that refused what it answered before, so that no cost is told. */
    public static FullLoad refusing(long durationNs, long requests, double refusedShare) {
        return ImmutableFullLoad.builder()
                .durationNs(durationNs)
                .requests(requests)
                .refusedShare(refusedShare)
                .build();
    }

    /** Returns this with the JIT's share of the CPU, and whether that replaced what is measured. */
    public FullLoad withJit(OptionalDouble share, boolean replaces) {
        return ImmutableFullLoad.builder()
                .from(this)
                .jitShare(share)
                .codeReplaced(replaces)
                .build();
    }

    /**
     * How long it was under this load, without its first second, and without the requests to which slower targets of
     * more than half its rate did not come.
     */
    public abstract long durationNs();

    /** How many requests were answered in that time, and not with a status of 5xx. */
    public abstract long requests();

    /** Of them for each second: as fast as the target answered. */
    @Value.Derived
    public OptionalDouble throughputPerSec() {
        return LoadCounts.perSec(requests(), durationNs());
    }

    /**
     * CPU time of each of them without the JIT's; absent where that is not known apart, nothing was answered, or
     * requests were refused.
     */
    public abstract OptionalDouble steadyCpuNsPerRequest();

    /**
     * Which share of its CPU time the JIT took, from 0 to 1; absent where that is not known apart; of several launches
     * the largest.
     */
    public abstract OptionalDouble jitShare();

    /**
     * Whether the JIT took more than a tenth of the CPU time and may have changed what a request costs, so that it is
     * in part what code costs that is no more; of several launches always false, for a single one may be an accident.
     * Where a result does not say it, as those made before it was judged: whether the JIT took more.
     */
    @Value.Default
    public boolean codeReplaced() {
        return jitShare().orElse(0) > LOW_JIT_SHARE;
    }

    /**
     * Which share of all requests failed or were refused (4xx, 5xx), from 0 to 1; only where that is more than in the
     * measured phase by more than 1 % of all.
     */
    public abstract OptionalDouble refusedShare();
}
