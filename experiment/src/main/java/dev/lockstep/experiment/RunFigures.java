package dev.lockstep.experiment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.analysis.ConfidenceInterval;
import dev.lockstep.analysis.LaunchMean;
import dev.lockstep.analysis.LaunchRatios;
import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.analysis.Metric;
import dev.lockstep.analysis.Spoilers;
import dev.lockstep.analysis.Starvation;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.results.AssertionResult;
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
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

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

        /** Whether a remark says that what was measured is not what was asked for. */
        static boolean isDoubt(String remark) {
            return remark.equals(NOT_STEADY)
                    || remark.equals(INVALID)
                    || remark.startsWith(NO_VERDICT)
                    || remark.startsWith(SPOILED);
        }

        /** Whether there is such a remark, so that agreement and difference would be chance. */
        boolean isDoubtful() {
            return remarks.stream().anyMatch(Found::isDoubt);
        }

        /** Returns these remarks, a clause for people. */
        String doubt() {
            return remarks.stream()
                    .filter(Found::isDoubt)
                    .map(remark -> remark.replaceFirst("^" + SPOILED, "")
                            .replaceFirst("^No", "no")
                            .replaceFirst("\\.+$", ""))
                    .collect(Collectors.joining("; "));
        }

        static Found absent(String why) {
            return new Found(OptionalDouble.empty(), OptionalDouble.empty(), OptionalDouble.empty(), List.of(why));
        }

        /** Returns what was found by trying. */
        static Found exactly(double value, String remark) {
            return of(value, Optional.empty(), List.of(remark));
        }

        private static Found of(double value, Optional<Verdict.Interval> interval, List<String> remarks) {
            return new Found(
                    OptionalDouble.of(value),
                    interval.map(ends -> finite(ends.low())).orElse(OptionalDouble.empty()),
                    interval.map(ends -> finite(ends.high())).orElse(OptionalDouble.empty()),
                    remarks);
        }

        private static OptionalDouble finite(double end) {
            return Double.isFinite(end) ? OptionalDouble.of(end) : OptionalDouble.empty();
        }

        /** Returns it with more that must be known. */
        Found with(String remark) {
            List<String> more = new ArrayList<>(remarks);
            more.add(remark);
            return new Found(value, low, high, more);
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
    /** More failed requests than that for each answer reach the 99th percentile of all. */
    private static final double BEYOND_P99 = 1 / 99d;

    private static final String INTEGRATED_P99 = "integratedP99";
    private static final String DIFFERENT_ANSWERS = "differentAnswers";
    private static final String NO_VERDICT = "No verdict: ";
    private static final String SPOILED = "Spoiled: ";
    private static final String NOT_STEADY = "Not steady.";
    private static final String INVALID = "INVALID, see the parts below.";
    private static final String ONE_LAUNCH = "One launch: no interval.";
    /** As of RFC 6901; nothing is the whole document. */
    private static final Pattern POINTER = Pattern.compile("(/.*)?", Pattern.DOTALL);
    /** Of JMH: names with their values, joined by single blanks. */
    private static final Pattern PARAMETERS = Pattern.compile("[^ =]+=[^ ]*( [^ =]+=[^ ]*)*");
    /** Within a JVM's name for people: its release, and the update of that. */
    private static final Pattern JVM_VERSION = Pattern.compile("( \\d+)[.+_]\\S*");

    /** What a launch has beside the metrics that targets are compared by. */
    private static final Map<String, Function<LaunchResult, OptionalDouble>> OF_LAUNCH = new TreeMap<>(Map.of(
            // What the JVM needs until it is ready itself, and what the application needs from then on.
            "startupJvm",
            launch -> launch.startup().stream()
                    .flatMapToLong(times -> times.jvmNs().stream())
                    .asDoubleStream()
                    .findFirst(),
            "startupApplication",
            RunFigures::startupApplication,
            "gcCyclesPerMinute",
            launch -> over(launch.costs().get(Cost.GC_CYCLES), launch.measuredNs() / MINUTE_NS),
            "garbageMiBPerSecond",
            launch -> over(launch.costs().get(Cost.ALLOCATED), launch.measuredNs() / 1e9 * MIB)));

    /** By which metrics a target must be steady for those of these figures that are not about its start. */
    private static final Map<String, Metric> STEADY_BY =
            Map.of("gcCyclesPerMinute", Metric.GC_CYCLES, "garbageMiBPerSecond", Metric.ALLOCATED_BYTES_PER_REQUEST);

    private final Path directory;
    private final Map<Path, RunResult> results = new HashMap<>();

    /** @param directory of the experiment */
    RunFigures(Path directory) {
        this.directory = directory;
    }

    /** Refuses what no run has, and what cannot be looked up in a file. */
    static void check(String place, FigureTemplate.Kind kind, String what) {
        if (kind == FigureTemplate.Kind.NUMBER) {
            require(place, kind, what, POINTER, "a JSON pointer such as /best/ratio");
        } else if (kind == FigureTemplate.Kind.JMH) {
            require(place, kind, what, PARAMETERS, "parameters such as size=64 kind=heap");
        }
        if (!kind.compares() && kind != FigureTemplate.Kind.VALUE) {
            return;
        }
        List<String> further = new ArrayList<>();
        if (kind == FigureTemplate.Kind.RATIO) {
            further.add(INTEGRATED_P99);
        } else {
            further.addAll(OF_LAUNCH.keySet());
        }
        if (kind == FigureTemplate.Kind.VALUE) {
            further.add(DIFFERENT_ANSWERS);
        }
        if (Metric.of(what).isEmpty() && !further.contains(what)) {
            throw new ExperimentException(place + "." + kind.key() + ": expected one of " + Metric.names() + ", "
                    + String.join(", ", further) + ", found '" + what + "'");
        }
    }

    private static void require(String place, FigureTemplate.Kind kind, String what, Pattern form, String expected) {
        if (!form.matcher(what).matches()) {
            throw new ExperimentException(
                    place + "." + kind.key() + ": expected " + expected + ", found '" + what + "'");
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

    private static OptionalDouble over(OptionalLong value, double divisor) {
        return value.isPresent() && divisor > 0
                ? OptionalDouble.of(value.getAsLong() / divisor)
                : OptionalDouble.empty();
    }

    /** Returns the result of a part's run. */
    RunResult result(String part) {
        return results.computeIfAbsent(directory.resolve(part), RunDirectoryReader::readResult);
    }

    /** Has a part's result read anew, and that of a search's verification. */
    void forget(String part) {
        results.keySet().removeIf(read -> read.startsWith(directory.resolve(part)));
    }

    /** Whether a part's run has a target of this name: a smaller size may start fewer. */
    boolean hasTarget(String part, String name) {
        return result(part).target(name).isPresent();
    }

    /** Returns a metric of a target over another's, with the interval of the verdict on these two. */
    Found ratio(String part, String key, String target, String over) {
        RunResult result = result(part);
        boolean integrated = key.equals(INTEGRATED_P99);
        Metric metric = integrated ? Metric.P99 : Metric.of(key).orElseThrow();
        List<String> remarks = remarks(result, Optional.of(metric), target, over);
        Optional<Verdict> verdict = verdict(result, metric, target, over);
        if (remarks.stream().noneMatch(remark -> remark.equals(INVALID) || remark.startsWith(SPOILED))) {
            verdict.flatMap(Verdict::whyNot).ifPresent(why -> remarks.add(NO_VERDICT + why + "."));
        }
        if (integrated) {
            return integratedP99(part, target, over, remarks);
        }
        if (verdict.isEmpty() || verdict.get().ratio().isEmpty()) {
            return ofValues(result, metric, target, over, remarks);
        }
        if (verdict.get().launches() == 1) {
            remarks.add(ONE_LAUNCH);
        } else if (verdict.get().indicative()) {
            remarks.add(verdict.get().launches() + " launches: indicative.");
        }
        return Found.of(
                verdict.get().ratio().getAsDouble(),
                Optional.ofNullable(verdict.get().interval95()),
                remarks);
    }

    /** Returns the run's own verdict, and one made of the same launches where it compares these two with others. */
    private static Optional<Verdict> verdict(RunResult result, Metric metric, String target, String over) {
        return result.verdicts().stream()
                .filter(one -> one.metric().equals(metric.key())
                        && one.target().equals(target)
                        && one.baseline().equals(over))
                .findFirst()
                .or(() -> LaunchVerdicts.between(result, metric, target, over));
    }

    private static Found ofValues(RunResult result, Metric metric, String target, String over, List<String> remarks) {
        OptionalDouble upper = result.target(target).map(metric::of).orElse(OptionalDouble.empty());
        OptionalDouble lower = result.target(over).map(metric::of).orElse(OptionalDouble.empty());
        if (upper.isEmpty() || lower.isEmpty()) {
            return Found.absent("The run has no " + metric.label() + " of both.");
        }
        if (lower.getAsDouble() == 0) {
            remarks.add(
                    0,
                    upper.getAsDouble() == 0
                            ? "Neither has any: " + metric.label() + "."
                            : "No ratio: " + over + " has none, " + target + " "
                                    + PublishedTable.print(upper.getAsDouble()) + " (" + metric.label() + ").");
            return Found.absent(String.join(" ", remarks));
        }
        remarks.add("No launches of both to compare: no interval.");
        return Found.of(upper.getAsDouble() / lower.getAsDouble(), Optional.empty(), remarks);
    }

    /**
     * The sum over all seconds of each second's 99th percentile, which Twitter called p99 integrated over time: of each
     * launch, for each of its seconds in which something was due. There is none where the requests without an answer
     * reach it in some second: to leave that out would be to judge by the good ones.
     */
    private Found integratedP99(String part, String target, String over, List<String> remarks) {
        Map<String, Map<Integer, double[]>> sums = new HashMap<>();
        Set<String> unanswered = new HashSet<>();
        RunDirectoryReader.readFigures(directory.resolve(part), (name, figures) -> {
            if (figures.phase() == Interval.Phase.MEASURED && figures.errors() > BEYOND_P99 * figures.completed()) {
                unanswered.add(name);
            }
            if (figures.phase() == Interval.Phase.MEASURED && figures.p99Ns().isPresent()) {
                double seconds = (figures.endNs() - figures.startNs()) / 1e9;
                double[] sum = sums.computeIfAbsent(name, key -> new HashMap<>())
                        .computeIfAbsent(figures.launch(), key -> new double[2]);
                sum[0] += figures.p99Ns().getAsLong() * seconds;
                sum[1] += seconds;
            }
        });
        RunResult result = result(part);
        Optional<String> unknown = Stream.of(target, over)
                .filter(name -> unanswered.contains(name)
                        || result.target(name).filter(Metric.P99::isAtLeast).isPresent())
                .findFirst();
        if (unknown.isPresent()) {
            return Found.absent("In some second of " + unknown.get() + " requests without an answer reach the 99th"
                    + " percentile.");
        }
        // By identity: a launch does not know its target.
        Map<LaunchResult, Double> means = new IdentityHashMap<>();
        for (TargetResult one : result.targets()) {
            Map<Integer, double[]> own = sums.getOrDefault(one.name(), Map.of());
            one.launches().stream()
                    .filter(launch -> own.containsKey(launch.launch()))
                    .forEach(launch -> means.put(launch, own.get(launch.launch())[0] / own.get(launch.launch())[1]));
        }
        return ofPairs(
                result.target(target).flatMap(upper -> result.target(over).flatMap(lower -> LaunchRatios.of(result)
                        .mean(
                                upper,
                                lower,
                                launch -> means.containsKey(launch)
                                        ? OptionalDouble.of(means.get(launch))
                                        : OptionalDouble.empty()))),
                "99th percentiles",
                remarks);
    }

    /** Returns by how much more of a figure a target has than another, by pairs of launches. */
    Found difference(String part, String key, String target, String over) {
        RunResult result = result(part);
        Optional<Metric> metric = Metric.of(key);
        return ofPairs(
                result.target(target).flatMap(upper -> result.target(over)
                        .flatMap(lower -> LaunchRatios.of(result).difference(upper, lower, ofLaunch(key)))),
                metric.map(Metric::label).orElse(key),
                remarks(result, metric.or(() -> Optional.ofNullable(STEADY_BY.get(key))), target, over));
    }

    private static Found ofPairs(Optional<LaunchMean> mean, String what, List<String> remarks) {
        if (mean.isEmpty()) {
            return Found.absent("The run has no " + what + " of both.");
        }
        if (mean.get().launches() == 1) {
            remarks.add(ONE_LAUNCH);
        }
        return Found.of(mean.get().mean(), mean.get().interval().map(RunFigures::ends), remarks);
    }

    /** Returns a metric of a target, with the interval of its launches. */
    Found value(String part, String key, String name) {
        RunResult result = result(part);
        Optional<Metric> metric = Metric.of(key);
        List<String> remarks = remarks(result, metric.or(() -> Optional.ofNullable(STEADY_BY.get(key))), name);
        Optional<TargetResult> target = result.target(name);
        if (target.isEmpty()) {
            return Found.absent("The run has no target " + name + ".");
        }
        if (key.equals(DIFFERENT_ANSWERS)) {
            return differentAnswers(target.get(), remarks);
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
        Optional<LaunchMean> mean = LaunchMean.of(target.get(), ofLaunch(key));
        if (mean.isPresent()) {
            if (mean.get().interval().isEmpty()) {
                remarks.add(mean.get().launches() == 1 ? ONE_LAUNCH : "0 in a launch: no interval.");
            }
            return Found.of(mean.get().mean(), mean.get().interval().map(RunFigures::ends), remarks);
        }
        OptionalDouble whole = metric.map(one -> one.of(target.get())).orElse(OptionalDouble.empty());
        if (whole.isPresent()) {
            remarks.add("Of no launch that it survived: no interval.");
            return Found.of(whole.getAsDouble(), Optional.empty(), remarks);
        }
        remarks.add("The run does not have it.");
        return Found.absent(String.join(" ", remarks));
    }

    private static Function<LaunchResult, OptionalDouble> ofLaunch(String key) {
        return Metric.of(key)
                .<Function<LaunchResult, OptionalDouble>>map(metric -> metric::of)
                .orElseGet(() -> OF_LAUNCH.get(key));
    }

    /** Returns how many of a target's answers differ from the baseline's beyond noise. */
    private static Found differentAnswers(TargetResult target, List<String> remarks) {
        return target.comparison()
                .map(found -> {
                    remarks.add("Of " + found.compared() + " that were compared with those of " + found.baseline()
                            + (found.withoutContents() > 0
                                    ? ", " + found.withoutContents() + " of them by status and length only"
                                    : "")
                            + ".");
                    return Found.of(found.different(), Optional.empty(), remarks);
                })
                .orElseGet(() -> Found.absent("The run compared no answers of " + target.name() + "."));
    }

    private static Verdict.Interval ends(ConfidenceInterval interval) {
        return Verdict.Interval.of(interval.low(), interval.high());
    }

    /** Returns what the CPU that a target saves is worth in a year. */
    Found money(String part, String target) {
        RunResult result = result(part);
        return result.fleetCost()
                .flatMap(cost -> cost.savings().stream()
                        .filter(saving -> saving.target().equals(target))
                        .findFirst())
                .map(saving -> {
                    List<String> remarks = remarks(result, Optional.empty());
                    if (saving.interval().isEmpty()) {
                        remarks.add(ONE_LAUNCH);
                    }
                    return Found.of(saving.usdPerYear(), saving.interval(), remarks);
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
            return Found.absent(file + " cannot be read: " + MeasurementException.reason(e) + ".");
        }
    }

    /**
     * Returns a score of a file that JMH left, with the interval of its iterations: JMH's own is of 99.9 %.
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
                    double[] iterations = StreamSupport.stream(
                                    benchmark
                                            .path("primaryMetric")
                                            .path("rawData")
                                            .spliterator(),
                                    false)
                            .flatMap(fork -> StreamSupport.stream(fork.spliterator(), false))
                            .mapToDouble(JsonNode::asDouble)
                            .toArray();
                    if (iterations.length == 0) {
                        return Found.absent(file + " has no iterations with " + parameters + ".");
                    }
                    LaunchMean mean = LaunchMean.arithmetic(iterations);
                    return Found.of(
                            mean.mean(),
                            mean.interval().map(RunFigures::ends),
                            List.of(
                                    iterations.length == 1
                                            ? "One iteration: no interval."
                                            : "The interval is of " + iterations.length + " iterations of JMH's."));
                }
            }
            return Found.absent(file + " has no benchmark with " + parameters + ".");
        } catch (IOException e) {
            return Found.absent(file + " cannot be read: " + MeasurementException.reason(e) + ".");
        }
    }

    private JsonNode document(String file) throws IOException {
        return new ObjectMapper().readTree(Files.readString(directory.resolve(file)));
    }

    /**
     * What of a whole run, and of how these targets went, concerns a figure.
     *
     * @param metric by which they must be steady; absent where that does not matter
     */
    private static List<String> remarks(RunResult result, Optional<Metric> metric, String... targets) {
        List<String> remarks = new ArrayList<>();
        boolean isOfTime = metric.map(Metric::key).filter(Spoilers::isOfTime).isPresent();
        if (!(isOfTime ? result.statusReasons() : result.reasonsBesideLateness()).isEmpty()) {
            remarks.add(INVALID);
        } else {
            metric.flatMap(one -> new Spoilers(result).why(one.key(), List.of(targets)))
                    .ifPresent(why -> remarks.add(SPOILED + why + "."));
        }
        boolean steady = metric.isEmpty()
                || Arrays.stream(targets)
                        .flatMap(name -> result.target(name).stream())
                        .allMatch(metric.get()::isSteady);
        if (!steady) {
            remarks.add(NOT_STEADY);
        }
        uncapped(result, Arrays.asList(targets)).ifPresent(remarks::add);
        return remarks;
    }

    /** Returns a remark where one of these targets of a part had a cap that nothing enforced. */
    Optional<String> uncapped(String part) {
        RunResult result = result(part);
        return uncapped(
                result, result.targets().stream().map(TargetResult::name).collect(Collectors.toList()));
    }

    private static Optional<String> uncapped(RunResult result, List<String> targets) {
        boolean isUncapped = result.plan().targets().stream()
                .filter(planned -> planned.memoryLimitBytes().isPresent() && targets.contains(planned.name()))
                .flatMap(planned -> result.target(planned.name()).stream())
                .anyMatch(target ->
                        target.exit().isEmpty() && target.memoryLimitBytes().isEmpty());
        return isUncapped
                ? Optional.of("No control group enforced the cap: the JVM sized its heap for it.")
                : Optional.empty();
    }

    /** Returns why a part's run is INVALID; empty where it is valid. */
    List<String> whyInvalid(String part) {
        return result(part).statusReasons();
    }

    /** Returns why what a part's run is judged by tells nothing; absent where it tells something. */
    Optional<String> whySpoiled(String part) {
        RunResult result = result(part);
        String primary = result.plan().primaryMetric();
        Spoilers spoilers = new Spoilers(result);
        return result.verdicts().stream()
                .filter(verdict -> verdict.metric().equals(primary))
                .flatMap(verdict -> spoilers.why(primary, List.of(verdict.target(), verdict.baseline())).stream())
                .findFirst();
    }

    /**
     * Returns who had the processors of a target that lives and with which a condition fails: that says nothing of it
     * then. Absent where nobody had them, or all conditions hold.
     */
    Optional<String> whyStarved(String part) {
        RunResult result = result(part);
        if (result.assertions().stream().allMatch(AssertionResult::holds)) {
            return Optional.empty();
        }
        return result.targets().stream()
                .filter(target -> target.exit().isEmpty())
                .flatMap(
                        target -> Starvation.of(result, target).map(starved -> target.name() + ": " + starved).stream())
                .findFirst();
    }

    /** Returns the hot methods of a part's targets; absent where it profiled none. */
    Optional<ObjectNode> hot(String part) {
        return result(part).hotMethods().map(hot -> new HotSummary(hot).document());
    }

    /** Returns by which versions a part was carried out: of Lockstep, and of its JVMs by their makes. */
    Map<String, Set<String>> versions(String part) {
        RunResult result = result(part);
        Map<String, Set<String>> versions = new TreeMap<>();
        versions.put("Lockstep", Set.of(result.environment().lockstepVersion()));
        for (TargetResult target : result.targets()) {
            String jvm = target.jvm().orElse("");
            Matcher version = JVM_VERSION.matcher(jvm);
            if (version.find()) {
                // Another release is another make: of both there may be figures.
                String make = jvm.substring(0, version.end(1)) + jvm.substring(version.end());
                versions.computeIfAbsent(make, key -> new TreeSet<>())
                        .add(version.group().strip());
            }
        }
        return versions;
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
