package dev.lockstep.results;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
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
        return of(cost -> share(cost.apply(costs), successful));
    }

    /**
     * Returns what a request cost in those blocks of a server that runs already in which it told it, each figure by
     * itself.
     */
    static PerRequest ofTold(List<LaunchResult> blocks) {
        return of(cost -> {
            List<LaunchResult> told = blocks.stream()
                    .filter(block -> cost.apply(block.costs()).isPresent())
                    .collect(Collectors.toList());
            return told.isEmpty()
                    ? OptionalDouble.empty()
                    : share(
                            OptionalLong.of(told.stream()
                                    .mapToLong(
                                            block -> cost.apply(block.costs()).getAsLong())
                                    .sum()),
                            told.stream().mapToLong(LaunchResult::successful).sum());
        });
    }

    private static PerRequest of(Function<Function<Costs, OptionalLong>, OptionalDouble> share) {
        return ImmutablePerRequest.builder()
                .cpuNsPerRequest(share.apply(Costs::cpuNs))
                .steadyCpuNsPerRequest(share.apply(PerRequest::withoutJit))
                .appCpuNsPerRequest(share.apply(costs -> costs.get(Cost.APPLICATION_CPU)))
                .jitCpuNsPerRequest(share.apply(costs -> costs.get(Cost.JIT_CPU)))
                .gcCpuNsPerRequest(share.apply(costs -> costs.get(Cost.GC_CPU)))
                .userCpuNsPerRequest(share.apply(costs -> costs.get(Cost.USER_CPU)))
                .systemCpuNsPerRequest(share.apply(costs -> costs.get(Cost.SYSTEM_CPU)))
                .allocatedBytesPerRequest(share.apply(costs -> costs.get(Cost.ALLOCATED)))
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
