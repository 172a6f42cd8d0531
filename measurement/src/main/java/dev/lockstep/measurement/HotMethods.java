package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * In which methods each target spends its CPU time, side by side: samples taken in a pass of its own, which enters no
 * score. A method's samples are those that met its own code and not that of what it calls. Immutable.
 */
public final class HotMethods {
    /** How one target was profiled, or why it was not. Immutable. */
    public static final class Target {
        private final String name;
        private final String absentReason;
        private final String profiler;
        private final String event;
        private final long samples;
        private final long durationNs;
        private final OptionalDouble cpuNsPerRequest;
        private final String note;

        private Target(
                String name,
                String absentReason,
                String profiler,
                String event,
                long samples,
                long durationNs,
                OptionalDouble cpuNsPerRequest,
                String note) {
            this.name = name;
            this.absentReason = absentReason;
            this.profiler = profiler;
            this.event = event;
            this.samples = samples;
            this.durationNs = durationNs;
            this.cpuNsPerRequest = cpuNsPerRequest;
            this.note = note;
        }

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
            Rules.atLeast("samples", 1, samples);
            return new Target(name, null, profiler, event, samples, durationNs, cpuNsPerRequest, note);
        }

        /** Returns a target without a profile, for this reason, a line for people. */
        public static Target absent(String name, String reason) {
            return new Target(name, reason, null, null, 0, 0, OptionalDouble.empty(), null);
        }

        public String name() {
            return name;
        }

        /** Returns why there is no profile; empty where there is one. */
        public Optional<String> absentReason() {
            return Optional.ofNullable(absentReason);
        }

        /** Returns name and version of the profiler; null without a profile. */
        public String profiler() {
            return profiler;
        }

        /** Returns what made it take a sample; null without a profile. */
        public String event() {
            return event;
        }

        /** Returns how many samples were taken under load; 0 without a profile. */
        public long samples() {
            return samples;
        }

        /** Returns how long samples were taken; 0 without a profile. */
        public long durationNs() {
            return durationNs;
        }

        /** Returns the CPU time per request of the scored run, user and system together. */
        public OptionalDouble cpuNsPerRequest() {
            return cpuNsPerRequest;
        }

        /** Returns what a reader of this profile must know. */
        public Optional<String> note() {
            return Optional.ofNullable(note);
        }

        private ObjectNode toJson() {
            ObjectNode json = JsonFields.object();
            json.put("name", name);
            JsonFields.put(json, "absent", absentReason);
            if (absentReason == null) {
                json.put("profiler", profiler);
                json.put("event", event);
                json.put("samples", samples);
                json.put("durationNs", durationNs);
                JsonFields.put(json, "cpuNsPerRequest", cpuNsPerRequest);
                JsonFields.put(json, "note", note);
            }
            return json;
        }

        private static Target fromJson(JsonFields json) {
            String name = json.text("name");
            String absentReason = json.textOrNull("absent");
            return absentReason != null
                    ? absent(name, absentReason)
                    : json.check(() -> profiled(
                            name,
                            json.text("profiler"),
                            json.text("event"),
                            json.number("samples"),
                            json.number("durationNs"),
                            json.has("cpuNsPerRequest")
                                    ? OptionalDouble.of(json.decimal("cpuNsPerRequest"))
                                    : OptionalDouble.empty(),
                            json.textOrNull("note")));
        }
    }

    /** One method, or a group of threads that is shown as one, in all targets. Immutable. */
    public static final class Method {
        private final String name;
        private final Map<String, Long> samples;
        private final Map<String, CodeKind> kinds;

        private Method(String name, Map<String, Long> samples, Map<String, CodeKind> kinds) {
            this.name = name;
            this.samples = samples;
            this.kinds = kinds;
        }

        public String name() {
            return name;
        }

        /** Returns how many samples met it in this target; 0 where none did. */
        public long samples(String target) {
            return samples.getOrDefault(target, 0L);
        }

        /** Returns the kind of its code that most samples of this target met; empty where none did. */
        public Optional<CodeKind> kind(String target) {
            return Optional.ofNullable(kinds.get(target));
        }

        /** Returns the kind of its code in the target that has most samples of it. */
        public CodeKind kind() {
            return samples.entrySet().stream()
                    .max(Map.Entry.comparingByValue())
                    .map(most -> kinds.get(most.getKey()))
                    .orElse(CodeKind.UNKNOWN);
        }
    }

    private final List<Target> targets;
    private final List<Method> methods;
    private final long methodsLeftOut;

    private HotMethods(List<Target> targets, List<Method> methods, long methodsLeftOut) {
        this.targets = List.copyOf(targets);
        this.methods = List.copyOf(methods);
        this.methodsLeftOut = methodsLeftOut;
    }

    /** Starts an empty comparison. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the targets in the order of the run. */
    public List<Target> targets() {
        return targets;
    }

    /** Returns the hottest methods, by the sum of their shares, the hottest first. */
    public List<Method> methods() {
        return methods;
    }

    /** Returns how many methods with fewer samples are not listed. */
    public long methodsLeftOut() {
        return methodsLeftOut;
    }

    /** Returns the share of a target's samples that met a method, 0 to 1; absent where it has no profile. */
    public static OptionalDouble share(Method method, Target target) {
        return target.samples == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) method.samples(target.name) / target.samples);
    }

    /** Returns the share as CPU time per request, in nanoseconds; absent where either is not known. */
    public static OptionalDouble cpuNsPerRequest(Method method, Target target) {
        OptionalDouble share = share(method, target);
        return share.isPresent() && target.cpuNsPerRequest.isPresent()
                ? OptionalDouble.of(share.getAsDouble() * target.cpuNsPerRequest.getAsDouble())
                : OptionalDouble.empty();
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        var targetArray = json.putArray("targets");
        targets.forEach(target -> targetArray.add(target.toJson()));
        var methodArray = json.putArray("methods");
        for (Method method : methods) {
            ObjectNode row = methodArray.addObject();
            row.put("name", method.name);
            row.put("kind", method.kind().key());
            ObjectNode share = row.putObject("share");
            ObjectNode samples = row.putObject("samples");
            ObjectNode kinds = row.putObject("kinds");
            for (Target target : targets) {
                if (target.absentReason == null) {
                    double exact = share(method, target).getAsDouble();
                    share.put(target.name, Math.rint(exact * 1e6) / 1e6);
                    samples.put(target.name, method.samples(target.name));
                    method.kind(target.name).ifPresent(kind -> kinds.put(target.name, kind.key()));
                }
            }
        }
        json.put("methodsLeftOut", methodsLeftOut);
        return json;
    }

    static HotMethods fromJson(JsonFields json) {
        List<Target> targets = new ArrayList<>();
        json.objects("targets").forEach(target -> targets.add(Target.fromJson(target)));
        List<Method> methods = new ArrayList<>();
        for (JsonFields row : json.objects("methods")) {
            Map<String, Long> samples = new LinkedHashMap<>();
            row.counts("samples").forEach((target, count) -> {
                if (count > 0) {
                    samples.put(target, count);
                }
            });
            Map<String, CodeKind> kinds = new LinkedHashMap<>();
            JsonFields kindOf = row.object("kinds");
            samples.keySet().forEach(target -> kinds.put(target, CodeKind.parse(kindOf.text(target))));
            methods.add(new Method(row.text("name"), samples, kinds));
        }
        return new HotMethods(targets, methods, json.number("methodsLeftOut"));
    }

    /** Collects samples; each method's are added target by target and kind by kind, in any order. */
    public static final class Builder {
        private final List<Target> targets = new ArrayList<>();
        private final Map<String, Map<String, Map<CodeKind, Long>>> samples = new LinkedHashMap<>();

        private Builder() {}

        /** Adds a target; in the order of the run, and before its samples. */
        public Builder target(Target target) {
            targets.add(target);
            return this;
        }

        /** Adds samples that met this method of the target while its code was of this kind. */
        public Builder samples(String method, CodeKind kind, String target, long count) {
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
            samples.forEach((name, byTarget) -> {
                Map<String, Long> counts = new LinkedHashMap<>();
                Map<String, CodeKind> kinds = new LinkedHashMap<>();
                for (Target target : targets) {
                    Map<CodeKind, Long> byKind = byTarget.get(target.name);
                    if (byKind != null) {
                        counts.put(
                                target.name,
                                byKind.values().stream()
                                        .mapToLong(Long::longValue)
                                        .sum());
                        kinds.put(
                                target.name,
                                byKind.entrySet().stream()
                                        .max(Map.Entry.comparingByValue())
                                        .orElseThrow()
                                        .getKey());
                    }
                }
                all.add(new Method(name, counts, kinds));
            });
            all.sort(Comparator.comparingDouble((Method method) -> -sumOfShares(method))
                    .thenComparing(Method::name));
            int shown = Math.min(most, all.size());
            return new HotMethods(targets, all.subList(0, shown), all.size() - shown);
        }

        private double sumOfShares(Method method) {
            return targets.stream()
                    .mapToDouble(target -> share(method, target).orElse(0))
                    .sum();
        }
    }
}
