package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.Rules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.immutables.value.Value;

/**
 * In which methods each target spends its CPU time, side by side: samples taken in a pass of its own, which enters no
 * score. A method's samples are those that met its own code and not that of what it calls.
 */
@Value.Immutable
@JsonDeserialize(builder = ImmutableHotMethods.Builder.class)
public abstract class HotMethods {
    /** How the JIT's threads are called, as one method. */
    public static final String JIT_THREADS = "[JIT compiler threads]";

    private static final double SHARE_DIGITS = 1e6;

    /** How one target was profiled, or why it was not. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableTarget.Builder.class)
    public abstract static class Target {
        /**
         * Returns a target that was profiled.
         *
         * @param profiler its name and version, "async-profiler 4.5"
         * @param event what made it take a sample, "ctimer"
         * @param samples how many it took under load, at least one
         * @param durationNs how long
         * @param cpuNsPerRequest CPU time per request in the scored run, user and system, where that is known
         * @param note what a reader must know of this profile, or null
         */
        public static Target profiled(
                String name,
                String profiler,
                String event,
                long samples,
                long durationNs,
                OptionalDouble cpuNsPerRequest,
                String note) {
            return ImmutableTarget.builder()
                    .name(name)
                    .profiler(profiler)
                    .event(event)
                    .samples(samples)
                    .durationNs(durationNs)
                    .cpuNsPerRequest(cpuNsPerRequest)
                    .note(note)
                    .build();
        }

        /** Returns a target without a profile, for this reason, a line for people. */
        public static Target absent(String name, String reason) {
            return ImmutableTarget.builder().name(name).absentReason(reason).build();
        }

        /** As in the plan. */
        public abstract String name();

        /** Why there is no profile. */
        @JsonProperty("absent")
        public abstract Optional<String> absentReason();

        /** Name and version of the profiler; absent without a profile. */
        @Nullable
        public abstract String profiler();

        /** What made it take a sample; absent without a profile. */
        @Nullable
        public abstract String event();

        /** How many samples were taken under load; 0 without a profile. */
        @JsonInclude(Include.NON_DEFAULT)
        @Value.Default
        public long samples() {
            return 0;
        }

        /** How long samples were taken; 0 without a profile. */
        @JsonInclude(Include.NON_DEFAULT)
        @Value.Default
        public long durationNs() {
            return 0;
        }

        /** CPU time per request of the scored run, user and system together. */
        public abstract OptionalDouble cpuNsPerRequest();

        /** What a reader of this profile must know. */
        public abstract Optional<String> note();

        @Value.Check
        void check() {
            if (absentReason().isEmpty()) {
                if (profiler() == null || event() == null) {
                    throw new MissingFieldException(profiler() == null ? "profiler" : "event");
                }
                Rules.atLeast("samples", 1, samples());
            }
        }
    }

    /** One method, or a group of threads that is shown as one, in all targets. */
    @Value.Immutable
    @JsonDeserialize(builder = ImmutableMethod.Builder.class)
    public abstract static class Method {
        /** Its name; a group of VM threads stands in brackets: {@code [GC threads]}. */
        public abstract String name();

        /** The kind of its code in the target that has most samples of it. */
        @Value.Derived
        public CodeKind kind() {
            return samples().entrySet().stream()
                    .max(Map.Entry.comparingByValue())
                    .map(most -> kinds().get(most.getKey()))
                    .orElse(CodeKind.UNKNOWN);
        }

        /** Its share of the samples of each target that was profiled, 0 to 1. */
        abstract Map<String, Double> share();

        /** The same as counts. */
        abstract Map<String, Long> samples();

        /** The kind of its code in each target. */
        abstract Map<String, CodeKind> kinds();

        /** How many samples met it in this target; 0 where none did. */
        public long samples(String target) {
            return samples().getOrDefault(target, 0L);
        }

        /** The kind of its code that most samples of this target met; empty where none did. */
        public Optional<CodeKind> kind(String target) {
            return Optional.ofNullable(kinds().get(target));
        }
    }

    /** Starts an empty comparison. */
    public static Samples collect() {
        return new Samples();
    }

    /** In the order of the run. */
    public abstract List<Target> targets();

    /** Up to 100, by the sum of their shares, the hottest first. */
    public abstract List<Method> methods();

    /** How many methods with fewer samples are not listed. */
    public abstract long methodsLeftOut();

    /** Returns the share of a target's samples that met a method, 0 to 1; absent where it has no profile. */
    public static OptionalDouble share(Method method, Target target) {
        return target.samples() == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) method.samples(target.name()) / target.samples());
    }

    /** Returns the share as CPU time per request, in nanoseconds; absent where either is not known. */
    public static OptionalDouble cpuNsPerRequest(Method method, Target target) {
        OptionalDouble share = share(method, target);
        return share.isPresent() && target.cpuNsPerRequest().isPresent()
                ? OptionalDouble.of(
                        share.getAsDouble() * target.cpuNsPerRequest().getAsDouble())
                : OptionalDouble.empty();
    }

    /** Collects samples; each method's are added target by target and kind by kind, in any order. */
    public static final class Samples {
        private final List<Target> targets = new ArrayList<>();
        private final Map<String, Map<String, Map<CodeKind, Long>>> samples = new LinkedHashMap<>();

        private Samples() {}

        /** Adds a target; in the order of the run, and before its samples. */
        public Samples target(Target target) {
            targets.add(target);
            return this;
        }

        /** Adds samples that met this method of the target while its code was of this kind. */
        public Samples samples(String method, CodeKind kind, String target, long count) {
            Rules.atLeast("samples of " + method, 1, count);
            samples.computeIfAbsent(method, name -> new LinkedHashMap<>())
                    .computeIfAbsent(target, name -> new EnumMap<>(CodeKind.class))
                    .merge(kind, count, Long::sum);
            return this;
        }

        /**
         * Returns the hottest methods of all targets.
         *
         * @param most how many at most
         */
        public HotMethods build(int most) {
            List<Method> all = new ArrayList<>();
            samples.forEach((name, byTarget) -> all.add(method(name, byTarget)));
            all.sort(Comparator.comparingDouble((Method method) -> -sumOfShares(method))
                    .thenComparing(Method::name));
            int shown = Math.min(most, all.size());
            return ImmutableHotMethods.builder()
                    .targets(targets)
                    .methods(all.subList(0, shown))
                    .methodsLeftOut(all.size() - shown)
                    .build();
        }

        private Method method(String name, Map<String, Map<CodeKind, Long>> byTarget) {
            ImmutableMethod.Builder method = ImmutableMethod.builder().name(name);
            for (Target target : targets) {
                if (target.samples() > 0) {
                    Map<CodeKind, Long> byKind = byTarget.getOrDefault(target.name(), Map.of());
                    long count =
                            byKind.values().stream().mapToLong(Long::longValue).sum();
                    method.sample(target.name(), count)
                            .share(
                                    target.name(),
                                    Math.rint((double) count / target.samples() * SHARE_DIGITS) / SHARE_DIGITS);
                    byKind.entrySet().stream()
                            .max(Map.Entry.comparingByValue())
                            .ifPresent(kind -> method.kind(target.name(), kind.getKey()));
                }
            }
            return method.build();
        }

        private double sumOfShares(Method method) {
            return targets.stream()
                    .mapToDouble(target -> share(method, target).orElse(0))
                    .sum();
        }
    }
}
