package dev.lockstep.experiment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.analysis.ConfidenceInterval;
import dev.lockstep.analysis.LaunchMean;
import dev.lockstep.analysis.Metric;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Interval;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.directory.RunDirectoryReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Takes figures out of the run directories of an experiment's parts. Used by one thread. */
final class RunFigures {
    /** What was found: the value and its interval, and what must be known of them. */
    static final class Found {
        final OptionalDouble value;
        final OptionalDouble low;
        final OptionalDouble high;
        final List<String> remarks;

        private Found(OptionalDouble value, OptionalDouble low, OptionalDouble high, List<String> remarks) {
            this.value = value;
            this.low = low;
            this.high = high;
            this.remarks = remarks;
        }

        /** Whether what was measured is not what was asked for, so that agreement would be chance. */
        boolean isDoubtful() {
            return remarks.stream().anyMatch(remark -> remark.equals(NOT_STEADY) || remark.equals(INVALID));
        }

        static Found absent(String why) {
            return new Found(OptionalDouble.empty(), OptionalDouble.empty(), OptionalDouble.empty(), List.of(why));
        }

        private static Found of(double value, Optional<double[]> interval, List<String> remarks) {
            return new Found(
                    OptionalDouble.of(value),
                    interval.map(ends -> finite(ends[0])).orElse(OptionalDouble.empty()),
                    interval.map(ends -> finite(ends[1])).orElse(OptionalDouble.empty()),
                    remarks);
        }

        private static OptionalDouble finite(double end) {
            return Double.isFinite(end) ? OptionalDouble.of(end) : OptionalDouble.empty();
        }

        Found map(UnaryOperator<Double> each) {
            return new Found(apply(value, each), apply(low, each), apply(high, each), remarks);
        }

        /** Returns one over each value, whose interval turns round. */
        Found inverse() {
            Found turned = map(value -> 1 / value);
            return new Found(turned.value, turned.high, turned.low, remarks);
        }

        private static OptionalDouble apply(OptionalDouble value, UnaryOperator<Double> each) {
            return value.isPresent() ? OptionalDouble.of(each.apply(value.getAsDouble())) : value;
        }
    }

    private static final double MINUTE_NS = 60e9;
    private static final double MIB = 1 << 20;
    private static final String INTEGRATED_P99 = "integratedP99";
    private static final String NOT_STEADY = "Not steady.";
    private static final String INVALID = "INVALID, see the parts below.";
    private static final String ONE_LAUNCH = "One launch: no interval.";

    /** What a launch has beside the metrics that targets are compared by. */
    private static final Map<String, Function<LaunchResult, OptionalDouble>> OF_LAUNCH = new TreeMap<>(Map.of(
            // What the JVM needs until it is ready itself, and what the application needs from then on.
            "startupJvm",
            launch -> decimal(launch.startup().map(Startup::jvmNs).orElse(OptionalLong.empty())),
            "startupApplication",
            RunFigures::startupApplication,
            "gcCyclesPerMinute",
            launch -> over(launch.costs().get(Cost.GC_CYCLES), launch.measuredNs() / MINUTE_NS),
            "garbageMiBPerSecond",
            launch -> over(launch.costs().get(Cost.ALLOCATED), launch.measuredNs() / 1e9 * MIB)));

    private final Path directory;
    private final Map<Path, RunResult> results = new HashMap<>();

    /** @param directory of the experiment */
    RunFigures(Path directory) {
        this.directory = directory;
    }

    /** Refuses what no run has. */
    static void check(String place, FigureTemplate.Kind kind, String what) {
        boolean isKnown = Metric.of(what).isPresent()
                || kind == FigureTemplate.Kind.VALUE && OF_LAUNCH.containsKey(what)
                || kind == FigureTemplate.Kind.RATIO && what.equals(INTEGRATED_P99);
        if (!isKnown) {
            throw new ExperimentException(place + "." + kind.key() + ": expected one of " + Metric.names() + ", "
                    + (kind == FigureTemplate.Kind.VALUE ? String.join(", ", OF_LAUNCH.keySet()) : INTEGRATED_P99)
                    + ", found '" + what + "'");
        }
    }

    private static OptionalDouble startupApplication(LaunchResult launch) {
        Optional<Startup> times = launch.startup();
        return times.isPresent()
                        && times.get().jvmNs().isPresent()
                        && times.get().firstAnswerNs().isPresent()
                ? OptionalDouble.of(times.get().firstAnswerNs().getAsLong()
                        - times.get().jvmNs().getAsLong())
                : OptionalDouble.empty();
    }

    private static OptionalDouble decimal(OptionalLong value) {
        return value.isPresent() ? OptionalDouble.of(value.getAsLong()) : OptionalDouble.empty();
    }

    private static OptionalDouble over(OptionalLong value, double divisor) {
        return value.isPresent() && divisor > 0
                ? OptionalDouble.of(value.getAsLong() / divisor)
                : OptionalDouble.empty();
    }

    /** Returns the result of a part's run. */
    RunResult result(String part) {
        return results.computeIfAbsent(directory.resolve(part), RunDirectoryReader::readResult);
    }

    /** Has a part's result read anew. */
    void forget(String part) {
        results.remove(directory.resolve(part));
    }

    /** Returns a metric of a target over another's, with the verdict's interval. */
    Found ratio(String part, String metric, String target, String over) {
        RunResult result = result(part);
        List<String> remarks = remarks(result);
        if (metric.equals(INTEGRATED_P99)) {
            remarks.add("A ratio of sums over the whole run: no interval.");
            return integratedP99(part, target, over, remarks);
        }
        Optional<Verdict> direct = verdict(result, metric, target, over);
        Optional<Verdict> inverse = verdict(result, metric, over, target);
        Verdict verdict = direct.or(() -> inverse).orElse(null);
        if (verdict == null || verdict.ratio().isEmpty()) {
            if (verdict != null) {
                verdict.whyNot().ifPresent(why -> remarks.add("No verdict: " + why + "."));
            }
            return ofValues(result, metric, target, over, remarks);
        }
        if (verdict.finding() == Verdict.Finding.NOT_STEADY) {
            remarks.add(NOT_STEADY);
        }
        verdict.whyNot().ifPresent(why -> remarks.add("No verdict: " + why + "."));
        if (verdict.launches() == 1) {
            remarks.add(ONE_LAUNCH);
        } else if (verdict.indicative()) {
            remarks.add(verdict.launches() + " launches: indicative.");
        }
        Optional<double[]> interval =
                Optional.ofNullable(verdict.interval95()).map(ends -> new double[] {ends.low(), ends.high()});
        double ratio = verdict.ratio().getAsDouble();
        return direct.isPresent()
                ? Found.of(ratio, interval, remarks)
                : Found.of(1 / ratio, interval.map(ends -> new double[] {1 / ends[1], 1 / ends[0]}), remarks);
    }

    private static Optional<Verdict> verdict(RunResult result, String metric, String target, String over) {
        return result.verdicts().stream()
                .filter(one -> one.metric().equals(metric)
                        && one.target().equals(target)
                        && one.baseline().equals(over))
                .findFirst();
    }

    private static Found ofValues(RunResult result, String key, String target, String over, List<String> remarks) {
        Metric metric = Metric.of(key).orElseThrow();
        OptionalDouble upper = target(result, target).map(metric::of).orElse(OptionalDouble.empty());
        OptionalDouble lower = target(result, over).map(metric::of).orElse(OptionalDouble.empty());
        if (upper.isEmpty() || lower.isEmpty() || lower.getAsDouble() == 0) {
            return Found.absent("The run has no " + metric.label() + " of both.");
        }
        remarks.add("No verdict compares them: no interval.");
        return Found.of(upper.getAsDouble() / lower.getAsDouble(), Optional.empty(), remarks);
    }

    /** The sum over all seconds of each second's 99th percentile, which Twitter called p99 integrated over time. */
    private Found integratedP99(String part, String target, String over, List<String> remarks) {
        Map<String, double[]> sums = new HashMap<>();
        RunDirectoryReader.readFigures(directory.resolve(part), (name, figures) -> {
            if (figures.phase() == Interval.Phase.MEASURED && figures.p99Ns().isPresent()) {
                double seconds = (figures.endNs() - figures.startNs()) / 1e9;
                double[] sum = sums.computeIfAbsent(name, key -> new double[2]);
                sum[0] += figures.p99Ns().getAsLong() * seconds;
                sum[1] += seconds;
            }
        });
        double[] upper = sums.get(target);
        double[] lower = sums.get(over);
        return upper == null || lower == null
                ? Found.absent("The run has no 99th percentiles of both.")
                : Found.of(upper[0] / upper[1] / (lower[0] / lower[1]), Optional.empty(), remarks);
    }

    /** Returns a metric of a target, with the interval of its launches. */
    Found value(String part, String key, String name) {
        RunResult result = result(part);
        List<String> remarks = remarks(result);
        Optional<TargetResult> target = target(result, name);
        if (target.isEmpty()) {
            return Found.absent("The run has no target " + name + ".");
        }
        target.get()
                .exit()
                .ifPresent(exit -> remarks.add(
                        0,
                        exit.oomKilled()
                                ? "Killed by the kernel for want of memory."
                                : "Died"
                                        + exit.signalName()
                                                .map(signal -> " by " + signal)
                                                .orElse("") + "."));
        Function<LaunchResult, OptionalDouble> figure = Metric.of(key)
                .<Function<LaunchResult, OptionalDouble>>map(metric -> metric::of)
                .orElseGet(() -> OF_LAUNCH.get(key));
        Optional<LaunchMean> mean = LaunchMean.of(target.get(), figure);
        if (mean.isPresent()) {
            if (mean.get().interval().isEmpty()) {
                remarks.add(mean.get().launches() == 1 ? ONE_LAUNCH : "0 in a launch: no interval.");
            }
            return Found.of(mean.get().mean(), mean.get().interval().map(RunFigures::ends), remarks);
        }
        OptionalDouble whole =
                Metric.of(key).map(metric -> metric.of(target.get())).orElse(OptionalDouble.empty());
        if (whole.isPresent()) {
            remarks.add("Of no launch that it survived: no interval.");
            return Found.of(whole.getAsDouble(), Optional.empty(), remarks);
        }
        remarks.add("The run does not have it.");
        return Found.absent(String.join(" ", remarks));
    }

    private static double[] ends(ConfidenceInterval interval) {
        return new double[] {interval.low(), interval.high()};
    }

    /** Returns what was found by trying. */
    Found exactly(double value, String remark) {
        return Found.of(value, Optional.empty(), List.of(remark));
    }

    /** Returns what the CPU that a target saves is worth in a year. */
    Found money(String part, String target) {
        RunResult result = result(part);
        return result.fleetCost()
                .flatMap(cost -> cost.savings().stream()
                        .filter(saving -> saving.target().equals(target))
                        .findFirst())
                .map(saving -> {
                    List<String> remarks = remarks(result);
                    if (saving.interval().isEmpty()) {
                        remarks.add(ONE_LAUNCH);
                    }
                    return Found.of(
                            saving.usdPerYear(),
                            saving.interval().map(ends -> new double[] {ends.low(), ends.high()}),
                            remarks);
                })
                .orElseGet(() ->
                        Found.absent("The run prices nothing of " + target + ", as where a target was not steady."));
    }

    /** Returns a number of a JSON document that a part left. */
    Found number(String file, String pointer) {
        try {
            JsonNode found = document(file).at(pointer);
            return found.isNumber()
                    ? Found.of(found.asDouble(), Optional.empty(), List.of())
                    : Found.absent(file + " has no number at " + pointer + ".");
        } catch (IOException e) {
            return Found.absent(file + " cannot be read: " + e.getMessage() + ".");
        }
    }

    /**
     * Returns a score of a file that JMH left, with JMH's own interval.
     *
     * @param parameters as {@code name=value}, joined by blanks
     */
    Found jmh(String file, String parameters) {
        try {
            for (JsonNode benchmark : document(file)) {
                if (Arrays.stream(parameters.split(" "))
                        .map(parameter -> parameter.split("=", 2))
                        .allMatch(pair ->
                                benchmark.path("params").path(pair[0]).asText().equals(pair[1]))) {
                    JsonNode score = benchmark.path("primaryMetric");
                    JsonNode ends = score.path("scoreConfidence");
                    // JMH writes the text "NaN" for the interval of one iteration.
                    boolean hasEnds = ends.path(0).isNumber() && ends.path(1).isNumber();
                    return Found.of(
                            score.path("score").asDouble(),
                            hasEnds
                                    ? Optional.of(new double[] {
                                        ends.path(0).asDouble(), ends.path(1).asDouble()
                                    })
                                    : Optional.empty(),
                            List.of(hasEnds ? "JMH's interval of 99.9 %." : "One iteration: no interval."));
                }
            }
            return Found.absent(file + " has no benchmark with " + parameters + ".");
        } catch (IOException e) {
            return Found.absent(file + " cannot be read: " + e.getMessage() + ".");
        }
    }

    private JsonNode document(String file) throws IOException {
        return new ObjectMapper().readTree(Files.readString(directory.resolve(file)));
    }

    /** What of a whole run concerns each of its figures. */
    private static List<String> remarks(RunResult result) {
        List<String> remarks = new ArrayList<>();
        if (!result.statusReasons().isEmpty()) {
            remarks.add(INVALID);
        }
        return remarks;
    }

    private static Optional<TargetResult> target(RunResult result, String name) {
        return result.targets().stream().filter(one -> one.name().equals(name)).findFirst();
    }

    /** Returns why a part's run is INVALID; empty where it is valid. */
    List<String> whyInvalid(String part) {
        return result(part).statusReasons();
    }

    /** Returns the hot methods of a part's targets; absent where it profiled none. */
    Optional<ObjectNode> hot(String part) {
        return result(part).hotMethods().map(hot -> new HotSummary(hot).document());
    }

    /** Returns the JVMs of a part's targets, by their names, for people. */
    Map<String, String> jvms(String part) {
        Map<String, String> jvms = new LinkedHashMap<>();
        result(part)
                .targets()
                .forEach(target -> jvms.put(
                        target.name(),
                        target.jvm().orElse("a program")
                                + target.jit().map(jit -> ", " + jit).orElse("")));
        return jvms;
    }
}
