package dev.lockstep.results;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.immutables.value.Value;

/**
 * What a successful request cost: answered, and not with a status of 5xx. A group of fields of a target, of a launch
 * and of an interval; made of their other fields, so that nothing reads it.
 */
@Value.Immutable
@JsonDeserialize(builder = ImmutablePerRequest.Builder.class)
public abstract class PerRequest {
    /** Returns what each of so many requests cost; nothing where none succeeded. */
    public static PerRequest of(Costs costs, long successful) {
        return ImmutablePerRequest.builder()
                .cpuNsPerRequest(share(costs.cpuNs(), successful))
                .steadyCpuNsPerRequest(share(withoutJit(costs), successful))
                .appCpuNsPerRequest(share(costs.get(Cost.APPLICATION_CPU), successful))
                .jitCpuNsPerRequest(share(costs.get(Cost.JIT_CPU), successful))
                .gcCpuNsPerRequest(share(costs.get(Cost.GC_CPU), successful))
                .userCpuNsPerRequest(share(costs.get(Cost.USER_CPU), successful))
                .systemCpuNsPerRequest(share(costs.get(Cost.SYSTEM_CPU), successful))
                .allocatedBytesPerRequest(share(costs.get(Cost.ALLOCATED), successful))
                .build();
    }

    private static OptionalLong withoutJit(Costs costs) {
        OptionalLong all = costs.cpuNs();
        OptionalLong jit = costs.get(Cost.JIT_CPU);
        return all.isPresent() && jit.isPresent()
                ? OptionalLong.of(Math.max(0, all.getAsLong() - jit.getAsLong()))
                : OptionalLong.empty();
    }

    private static OptionalDouble share(OptionalLong total, long successful) {
        return total.isPresent() && successful > 0
                ? OptionalDouble.of((double) total.getAsLong() / successful)
                : OptionalDouble.empty();
    }

    /**
     * CPU time per successful request: answered, and not with a 5xx. Exact where the target has a control group; else
     * user and system time of its process.
     */
    public abstract OptionalDouble cpuNsPerRequest();

    /**
     * Of it all but the compilers': what is left when they have nothing more to do. Absent where theirs is not known.
     */
    public abstract OptionalDouble steadyCpuNsPerRequest();

    /** Of it that of the threads of the application: all but the next two kinds. */
    public abstract OptionalDouble appCpuNsPerRequest();

    /** Of it that of the compilers. */
    public abstract OptionalDouble jitCpuNsPerRequest();

    /** Of it that of the collectors and the VM thread. */
    public abstract OptionalDouble gcCpuNsPerRequest();

    /** User CPU time, likewise; sampled, as the kernel splits user and system time by its timer ticks. */
    public abstract OptionalDouble userCpuNsPerRequest();

    /** System CPU time, likewise. */
    public abstract OptionalDouble systemCpuNsPerRequest();

    /** What it allocated on the Java heap, likewise. */
    public abstract OptionalDouble allocatedBytesPerRequest();
}
