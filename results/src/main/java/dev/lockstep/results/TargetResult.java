package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.AnswerComparison;
import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import dev.lockstep.measurement.GcOverlap;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Outage;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.RewriteCount;
import dev.lockstep.measurement.StreamDigest;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.immutables.value.Value;

/**
 * What a run found out about one target. What was not measured is absent and never zero; a target that never got any
 * load has none of the figures of {@link #counts}, {@link #responseTime} and so on.
 *
 * <p>The histograms behind the figures are in {@link #load}, which is there in the process that measured and after
 * {@link dev.lockstep.results.directory.RunDirectoryReader} read the whole directory, but not after reading
 * {@code run.json} alone.
 */
@Value.Immutable
@JsonDeserialize(builder = TargetResult.Builder.class)
public abstract class TargetResult {
    /** Why there is no digest of what was sent in a run whose result is made of its intervals. */
    public static final String RECOVERED = "the run was killed or its result could not be written";

    /** How that begins, and all of it in older results. */
    private static final String KILLED = "the run was killed";

    /** @param name as in the plan */
    public static Builder builder(String name) {
        return new Builder().name(name);
    }

    private Builder toBuilder() {
        return new Builder().from(this).costs(costs());
    }

    public abstract String name();

    /** The JVM profile that was started. */
    public abstract Optional<String> profile();

    /** The {@code HOST:PORT} that got the load. */
    public abstract Optional<String> address();

    /** The JIT that was proven to run, for people: {@code HotSpot C2}. */
    public abstract Optional<String> jit();

    /** What proved it: the line that the JVM wrote. */
    public abstract Optional<String> jitProof();

    /** The JVM's name and version, for people: {@code OpenJDK 17.0.15}. */
    public abstract Optional<String> jvm();

    /**
     * The command line that was started, program first, without environment variables, whose values can be secrets;
     * empty for a server that was already running.
     */
    public abstract List<String> command();

    /** Those in effect. */
    public abstract List<String> jvmOptions();

    /** The JVM's collector, as its flags in effect say: {@code Serial}, {@code G1}. Absent where they do not. */
    public abstract Optional<String> collector();

    /** The most that the JVM's heap may take, as its flags in effect say. */
    public abstract OptionalLong maxHeapBytes();

    /** How many processors the JVM says it may use; it chooses its collector and its threads by that. */
    public abstract OptionalInt processors();

    /** The cores it may use, as the kernel writes the list: {@code 0-1,3}. Absent if launches had different ones. */
    public abstract Optional<String> cpus();

    /** What kept it apart: {@code cgroup v1 cpuset and memory}, or {@code taskset} and limits of the JVM. */
    public abstract Optional<String> isolation();

    /** As read back from the kernel. */
    public abstract OptionalLong memoryLimitBytes();

    /** The highest memory use of its control group. */
    @Value.Derived
    public OptionalLong memoryPeakBytes() {
        return costs().get(Cost.MEMORY_PEAK);
    }

    /** From the start of the process to the first good answer. */
    public abstract OptionalLong startupNs();

    /** How many turns it had, in alternating rounds. */
    public abstract OptionalInt rounds();

    /** How it ended, if it did so before Lockstep stopped it; of several launches the first such end. */
    public abstract Optional<TargetExit> exit();

    @Nullable
    @JsonUnwrapped
    @JsonDeserialize(using = LoadFigures.Reader.class)
    abstract LoadFigures figures();

    /** How many of its intervals the full disk did not take; absent for none. */
    public abstract OptionalLong intervalsLost();

    /**
     * The response times of all requests, as a column of an {@code .hlog} file has them; only with
     * {@code intervalsLost}.
     */
    @JsonProperty("responseTimeHistogram")
    abstract Optional<String> wholeResponseTime();

    /**
     * What it cost in the measured phase for each request; of a server that runs already, in the blocks of which it
     * told that.
     */
    @Value.Derived
    @JsonUnwrapped
    public PerRequest perRequest() {
        return launches().stream().anyMatch(launch -> launch.costs().isCpuOfMetrics())
                ? PerRequest.ofTold(launches())
                : PerRequest.of(
                        costs(), figures() == null ? 0 : figures().counts().successful());
    }

    @Value.Default
    @JsonUnwrapped
    Costs allCosts() {
        return Costs.NONE;
    }

    /** How long it took to start; of several launches the median of each time. */
    public abstract Optional<Startup> startup();

    /**
     * Whether it was steady: the worst of the launches, of its figures the medians, and the greatest shares; without
     * launches that were left out since they were not steady, as a quarter of them at most may be.
     */
    public abstract Optional<Warmup> warmup();

    /**
     * Returns the warm-up of a target of which is known when it was steady. Of one that was steady, but some launches
     * of which were too noisy by themselves, only that it was warmed up for so long.
     */
    public Optional<Warmup> warmupToSteady() {
        return warmup().filter(warmup -> warmup.isSteady()
                && launches().stream()
                        .flatMap(launch -> launch.warmup().stream())
                        .noneMatch(launch -> launch.state() == Warmup.State.UNDECIDABLE));
    }

    /** What it did in its first minute; of several launches the median of each. */
    public abstract Optional<FirstMinute> firstMinute();

    /** What it did under full load; of several launches the median of each. */
    public abstract Optional<FullLoad> fullLoad();

    /** How many of its slowest requests met a garbage collection; absent where that is not known. */
    public abstract Optional<GcOverlap> gcOverlap();

    /** What each launch of it gave, in order; of a server that runs already, each block of load. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<LaunchResult> launches();

    /** What each rewrite of the plan did, in the order of the plan; see docs/rewriting.md. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract List<RewriteCount> rewrites();

    /** How its answers differ from the baseline's; only with {@code --compare}, see docs/answers.md. */
    public abstract Optional<AnswerComparison> comparison();

    /** What a reader of the figures must know, a line each. */
    public abstract List<String> notes();

    @JsonIgnore
    @Value.Auxiliary
    abstract Optional<LoadResult> histograms();

    @Value.Check
    TargetResult check() {
        PlanRules.targetName(name());
        wholeResponseTime().ifPresent(EncodedHistogram::decode);
        return intervalsLost().orElse(0) > 0
                        && load().isPresent()
                        && wholeResponseTime().isEmpty()
                ? toBuilder()
                        .wholeResponseTime(EncodedHistogram.encode(load().get().responseTime()))
                        .build()
                : this;
    }

    /** The histogram of the response times, where it was measured or read here. */
    public Optional<Histogram> responseTimeHistogram() {
        return load().map(LoadResult::responseTime).or(() -> wholeResponseTime().map(EncodedHistogram::decode));
    }

    /** The histograms behind the figures, where they were measured or read here. */
    public Optional<LoadResult> load() {
        return histograms();
    }

    /** Whether the load gave figures, so that a run directory has histogram files for this target. */
    public boolean isMeasured() {
        return figures() != null;
    }

    private <T> Optional<T> figure(Function<LoadFigures, T> which) {
        return Optional.ofNullable(figures()).map(which);
    }

    /** A copy of the counts of the measured phase. */
    public Optional<LoadCounts> counts() {
        return figure(figures -> figures.counts().copy());
    }

    /** How long the target was under measured load. */
    public OptionalLong measuredNs() {
        return figures() == null
                ? OptionalLong.empty()
                : OptionalLong.of(figures().measuredNs());
    }

    /** The digest of the first complete pass, or why there is none. */
    public Optional<StreamDigest> streamDigest() {
        return figure(LoadFigures::streamDigest);
    }

    /** Last byte minus intended. */
    public Optional<Percentiles> responseTime() {
        return figure(LoadFigures::responseTime);
    }

    /** Last byte minus written. */
    public Optional<Percentiles> serviceTime() {
        return figure(LoadFigures::serviceTime);
    }

    /** Written minus intended. */
    public Optional<Percentiles> generatorLag() {
        return figure(LoadFigures::generatorLag);
    }

    /** Written minus intended of the sends that did not wait for the target. */
    public Optional<Percentiles> ownLag() {
        return figure(LoadFigures::ownLag);
    }

    /** First byte from the target minus intended of the bursts of bytes that belong to no request. */
    public Optional<Percentiles> opaqueFirstByte() {
        return figure(LoadFigures::opaqueFirstByte).flatMap(Function.identity());
    }

    /** Last byte from the target before the next such burst minus intended. */
    public Optional<Percentiles> opaqueLastByte() {
        return figure(LoadFigures::opaqueLastByte).flatMap(Function.identity());
    }

    /**
     * Whether of an answer's status only its class is known, {@code 400} standing for all of 4xx: the figures are made
     * of a run's intervals.
     */
    public boolean knowsStatusClassesOnly() {
        return streamDigest()
                .map(StreamDigest::absentReason)
                .filter(reason -> reason.startsWith(KILLED))
                .isPresent();
    }

    /** What came of the requests of each endpoint; empty where that is not known. */
    public List<EndpointResult> endpoints() {
        return figures() == null ? List.of() : figures().endpoints();
    }

    /** Whether requests were sent by their meaning, so that the target did not get the recorded bytes. */
    public boolean isSemanticReplay() {
        return figures() != null && figures().counts().semanticRequests > 0;
    }

    /** When it could not be reached, in order of time; empty where it always could. */
    public List<Outage> outages() {
        return figures() == null ? List.of() : figures().outages();
    }

    /** How many outages there were beside those listed. */
    public long outagesLeftOut() {
        return figures() == null ? 0 : figures().outagesLeftOut();
    }

    /** Completed requests per second of measured time. */
    public OptionalDouble throughputPerSec() {
        return figures() == null ? OptionalDouble.empty() : figures().throughputPerSec();
    }

    /** The resident memory at the end of the measured phase. */
    public OptionalLong rssBytes() {
        return costs().get(Cost.RSS);
    }

    /** What it cost in the measured phase: totals over all launches, levels at the end of the last one. */
    public Costs costs() {
        return allCosts();
    }

    /**
     * A total of its costs in one launch: the mean of the launches that it survived, or of all that were measured where
     * it survived none, so that a target that lacks a launch does not seem to need less; without launches the total
     * itself.
     */
    public OptionalDouble perLaunch(Cost cost) {
        List<LaunchResult> counted = launches().stream()
                .filter(launch -> launch.isMeasured() && launch.exit().isEmpty())
                .collect(Collectors.toList());
        if (counted.isEmpty()) {
            counted = launches().stream().filter(LaunchResult::isMeasured).collect(Collectors.toList());
        }
        if (counted.isEmpty()) {
            OptionalLong total = costs().get(cost);
            return total.isPresent() ? OptionalDouble.of(total.getAsLong()) : OptionalDouble.empty();
        }
        return counted.stream()
                .map(launch -> launch.costs().get(cost))
                .flatMapToLong(OptionalLong::stream)
                .average();
    }

    /** Returns this with another warm-up. */
    public TargetResult withWarmup(Warmup found) {
        return toBuilder().warmup(found).build();
    }

    /** Returns this result with the histograms that belong to its figures. */
    public TargetResult withHistograms(
            Histogram responseTime,
            Histogram serviceTime,
            Histogram generatorLag,
            Histogram ownLag,
            Histogram opaqueFirstByte,
            Histogram opaqueLastByte) {
        return toBuilder()
                .histograms(LoadResult.builder()
                        .counts(figures().counts().copy())
                        .measuredNs(figures().measuredNs())
                        .responseTime(responseTime)
                        .serviceTime(serviceTime)
                        .generatorLag(generatorLag)
                        .ownLag(ownLag)
                        .opaqueFirstByte(opaqueFirstByte)
                        .opaqueLastByte(opaqueLastByte)
                        .outages(outages())
                        .outagesLeftOut(outagesLeftOut())
                        .streamDigest(figures().streamDigest())
                        .build())
                .build();
    }

    /** Returns this result with what was measured after it was made, of all launches and of each. */
    public TargetResult measured(LoadResult found, Costs cost, List<LaunchResult> each) {
        return toBuilder().load(found).costs(cost).launches(each).build();
    }

    /** Returns this result of a target that ended by itself with its last intervals. */
    TargetResult withLastMinute(List<IntervalFigures> intervals) {
        return toBuilder().exit(exit().orElseThrow().withLastMinute(intervals)).build();
    }

    /** All but the name may be left out. */
    public static final class Builder extends ImmutableTargetResult.Builder {
        private Costs costs = Costs.NONE;

        Builder() {}

        /** Takes counts, times and digest from what the replayer measured. */
        public Builder load(LoadResult load) {
            return histograms(load).figures(LoadFigures.of(load));
        }

        /** What it cost in the measured phase; a peak of memory that was given before stays where these have none. */
        public Builder costs(Costs found) {
            OptionalLong peak = costs.get(Cost.MEMORY_PEAK);
            costs = peak.isPresent() && found.get(Cost.MEMORY_PEAK).isEmpty()
                    ? found.with(Cost.MEMORY_PEAK, peak.getAsLong())
                    : found;
            return allCosts(costs);
        }

        /** One quantity of what it cost in the measured phase. */
        public Builder cost(Cost cost, long value) {
            return costs(costs.with(cost, value));
        }

        public Builder memoryPeakBytes(long bytes) {
            return cost(Cost.MEMORY_PEAK, bytes);
        }
    }
}
