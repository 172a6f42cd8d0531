package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * What a run found out about one target. Immutable. What was not measured is absent and never zero; a target that never
 * got any load has none of the figures of {@link #counts}, {@link #responseTime} and so on.
 *
 * <p>The histograms behind the figures are in {@link #load}, which is there in the process that measured and after
 * {@link RunDirectoryReader} read the whole directory, but not after reading {@code run.json} alone.
 */
public final class TargetResult {
    private final String name;
    private final String profile;
    private final String address;
    private final String jit;
    private final String jitProof;
    private final String jvm;
    private final List<String> command;
    private final List<String> jvmOptions;
    private final String cpus;
    private final String isolation;
    private final OptionalLong memoryLimitBytes;
    private final OptionalLong memoryPeakBytes;
    private final OptionalLong startupNs;
    private final OptionalInt rounds;
    private final TargetExit exit;
    private final Measured measured;
    private final LoadResult load;
    private final OptionalLong intervalsLost;
    private final Startup startup;
    private final Warmup warmup;
    private final Costs costs;
    private final GcOverlap gcOverlap;
    private final List<LaunchResult> launches;
    private final List<RewriteCount> rewrites;
    private final AnswerComparison comparison;
    private final List<String> notes;

    private TargetResult(Builder builder) {
        this.name = builder.name;
        this.profile = builder.profile;
        this.address = builder.address;
        this.jit = builder.jit;
        this.jitProof = builder.jitProof;
        this.jvm = builder.jvm;
        this.command = List.copyOf(builder.command);
        this.jvmOptions = List.copyOf(builder.jvmOptions);
        this.cpus = builder.cpus;
        this.isolation = builder.isolation;
        this.memoryLimitBytes = builder.memoryLimitBytes;
        this.memoryPeakBytes = builder.memoryPeakBytes;
        this.startupNs = builder.startupNs;
        this.rounds = builder.rounds;
        this.exit = builder.exit;
        this.measured = builder.measured;
        this.load = builder.load;
        this.intervalsLost = builder.intervalsLost;
        this.startup = builder.startup;
        this.warmup = builder.warmup;
        this.costs = builder.costs;
        this.gcOverlap = builder.gcOverlap;
        this.launches = List.copyOf(builder.launches);
        this.rewrites = List.copyOf(builder.rewrites);
        this.comparison = builder.comparison;
        this.notes = List.copyOf(builder.notes);
    }

    /** The figures that the load gave; all of them exist or none. */
    private static final class Measured {
        private final LoadCounts counts;
        private final long measuredNs;
        private final StreamDigest streamDigest;
        private final Percentiles responseTime;
        private final Percentiles serviceTime;
        private final Percentiles generatorLag;
        private final Percentiles ownLag;
        /** Null where no bytes were sent that belong to no request, as the next one. */
        private final Percentiles opaqueFirstByte;

        private final Percentiles opaqueLastByte;
        private final List<Outage> outages;
        private final long outagesLeftOut;

        Measured(
                LoadCounts counts,
                long measuredNs,
                StreamDigest streamDigest,
                Percentiles responseTime,
                Percentiles serviceTime,
                Percentiles generatorLag,
                Percentiles ownLag,
                Percentiles opaqueFirstByte,
                Percentiles opaqueLastByte,
                List<Outage> outages,
                long outagesLeftOut) {
            this.counts = counts;
            this.measuredNs = measuredNs;
            this.streamDigest = streamDigest;
            this.responseTime = responseTime;
            this.serviceTime = serviceTime;
            this.generatorLag = generatorLag;
            this.ownLag = ownLag;
            this.opaqueFirstByte = opaqueFirstByte;
            this.opaqueLastByte = opaqueLastByte;
            this.outages = List.copyOf(outages);
            this.outagesLeftOut = outagesLeftOut;
        }
    }

    /** Starts the result of the target with this name in the plan. */
    public static Builder builder(String name) {
        return new Builder(name);
    }

    private Builder toBuilder() {
        Builder builder = new Builder(name);
        builder.profile = profile;
        builder.address = address;
        builder.jit = jit;
        builder.jitProof = jitProof;
        builder.jvm = jvm;
        builder.command = command;
        builder.jvmOptions = jvmOptions;
        builder.cpus = cpus;
        builder.isolation = isolation;
        builder.memoryLimitBytes = memoryLimitBytes;
        builder.memoryPeakBytes = memoryPeakBytes;
        builder.startupNs = startupNs;
        builder.rounds = rounds;
        builder.exit = exit;
        builder.measured = measured;
        builder.load = load;
        builder.intervalsLost = intervalsLost;
        builder.startup = startup;
        builder.warmup = warmup;
        builder.costs = costs;
        builder.gcOverlap = gcOverlap;
        builder.launches = new ArrayList<>(launches);
        builder.rewrites = rewrites;
        builder.comparison = comparison;
        builder.notes = new ArrayList<>(notes);
        return builder;
    }

    public String name() {
        return name;
    }

    /** Returns the JVM profile that was started. */
    public Optional<String> profile() {
        return Optional.ofNullable(profile);
    }

    /** Returns the {@code HOST:PORT} that got the load. */
    public Optional<String> address() {
        return Optional.ofNullable(address);
    }

    /** Returns the JIT that was proven to run, for people: {@code HotSpot C2}. */
    public Optional<String> jit() {
        return Optional.ofNullable(jit);
    }

    /** Returns what proved it: the line that the JVM wrote. */
    public Optional<String> jitProof() {
        return Optional.ofNullable(jitProof);
    }

    /** Returns the JVM's name and version, for people: {@code OpenJDK 17.0.15}. */
    public Optional<String> jvm() {
        return Optional.ofNullable(jvm);
    }

    /** Returns the command line that was started, program first; empty for a server that was already running. */
    public List<String> command() {
        return command;
    }

    /** Returns the JVM options in effect. */
    public List<String> jvmOptions() {
        return jvmOptions;
    }

    /** Returns the cores it may use, as the kernel writes the list: {@code 0-1,3}. */
    public Optional<String> cpus() {
        return Optional.ofNullable(cpus);
    }

    /** Returns how it was kept apart, for people: {@code cgroup v1 cpuset and memory}. */
    public Optional<String> isolation() {
        return Optional.ofNullable(isolation);
    }

    /** Returns the memory limit as read back from the kernel. */
    public OptionalLong memoryLimitBytes() {
        return memoryLimitBytes;
    }

    /** Returns the peak memory use of its control group. */
    public OptionalLong memoryPeakBytes() {
        return memoryPeakBytes;
    }

    /** Returns the time from the start of the process to the first good answer. */
    public OptionalLong startupNs() {
        return startupNs;
    }

    /** Returns how many turns it had, in alternating rounds. */
    public OptionalInt rounds() {
        return rounds;
    }

    /** Returns how it ended, if it did so before Lockstep stopped it. */
    public Optional<TargetExit> exit() {
        return Optional.ofNullable(exit);
    }

    /** Returns a copy of the counts of the measured phase. */
    public Optional<LoadCounts> counts() {
        return measured == null ? Optional.empty() : Optional.of(measured.counts.copy());
    }

    /** Returns how long the target was under measured load. */
    public OptionalLong measuredNs() {
        return measured == null ? OptionalLong.empty() : OptionalLong.of(measured.measuredNs);
    }

    /** Returns the digest of the first complete pass, or why there is none. */
    public Optional<StreamDigest> streamDigest() {
        return Optional.ofNullable(measured).map(m -> m.streamDigest);
    }

    /** Returns last byte minus intended. */
    public Optional<Percentiles> responseTime() {
        return Optional.ofNullable(measured).map(m -> m.responseTime);
    }

    /** Returns last byte minus written. */
    public Optional<Percentiles> serviceTime() {
        return Optional.ofNullable(measured).map(m -> m.serviceTime);
    }

    /** Returns written minus intended. */
    public Optional<Percentiles> generatorLag() {
        return Optional.ofNullable(measured).map(m -> m.generatorLag);
    }

    /** Returns written minus intended of the sends that did not wait for the target. */
    public Optional<Percentiles> ownLag() {
        return Optional.ofNullable(measured).map(m -> m.ownLag);
    }

    /** Returns first byte from the target minus intended of the bursts of bytes that belong to no request. */
    public Optional<Percentiles> opaqueFirstByte() {
        return Optional.ofNullable(measured).map(m -> m.opaqueFirstByte);
    }

    /** Returns last byte from the target before the next such burst minus intended. */
    public Optional<Percentiles> opaqueLastByte() {
        return Optional.ofNullable(measured).map(m -> m.opaqueLastByte);
    }

    /** Tells whether requests were sent by their meaning, so that the target did not get the recorded bytes. */
    public boolean isSemanticReplay() {
        return measured != null && measured.counts.semanticRequests > 0;
    }

    /** Returns when it could not be reached, in order of time; empty where it always could. */
    public List<Outage> outages() {
        return measured == null ? List.of() : measured.outages;
    }

    /** Returns how many outages there were beside those listed. */
    public long outagesLeftOut() {
        return measured == null ? 0 : measured.outagesLeftOut;
    }

    /** Returns how many of its intervals are missing from the run directory, because the disk was full; absent for none. */
    public OptionalLong intervalsLost() {
        return intervalsLost;
    }

    /** Returns completed requests per second of measured time. */
    public OptionalDouble throughputPerSec() {
        return measured == null
                ? OptionalDouble.empty()
                : LoadCounts.perSec(measured.counts.completed, measured.measuredNs);
    }

    /** Returns user CPU time per successful request. */
    public OptionalDouble userCpuNsPerRequest() {
        return perRequest(Cost.USER_CPU);
    }

    /** Returns system CPU time per successful request. */
    public OptionalDouble systemCpuNsPerRequest() {
        return perRequest(Cost.SYSTEM_CPU);
    }

    /** Returns a total of its costs in the measured phase per successful request: answered, and not with a status of 5xx. */
    public OptionalDouble perRequest(Cost cost) {
        return costs.perRequest(cost, successful());
    }

    private long successful() {
        return measured == null ? 0 : measured.counts.successful();
    }

    /** Returns the resident memory at the end of the measured phase. */
    public OptionalLong rssBytes() {
        return costs.get(Cost.RSS);
    }

    /** Returns what it cost in the measured phase: totals over all launches, levels at the end of the last one. */
    public Costs costs() {
        return costs;
    }

    /**
     * Returns a total of its costs in one launch: the mean of the launches that it survived, or where it survived none of
     * all that were measured, so that who lacks a launch does not seem to need less; without launches the total itself.
     */
    public OptionalDouble perLaunch(Cost cost) {
        List<LaunchResult> counted = launches.stream()
                .filter(launch -> launch.isMeasured() && launch.exit().isEmpty())
                .collect(Collectors.toList());
        if (counted.isEmpty()) {
            counted = launches.stream().filter(LaunchResult::isMeasured).collect(Collectors.toList());
        }
        if (counted.isEmpty()) {
            OptionalLong total = costs.get(cost);
            return total.isPresent() ? OptionalDouble.of(total.getAsLong()) : OptionalDouble.empty();
        }
        return counted.stream()
                .map(launch -> launch.costs().get(cost))
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .average();
    }

    /** Returns how long it took to start: of several launches the median of each time. */
    public Optional<Startup> startup() {
        return Optional.ofNullable(startup);
    }

    /** Returns how it warmed up: of several launches the median, steady if all were. */
    public Optional<Warmup> warmup() {
        return Optional.ofNullable(warmup);
    }

    /** Returns how many of its slowest requests met a garbage collection; absent where that is not known. */
    public Optional<GcOverlap> gcOverlap() {
        return Optional.ofNullable(gcOverlap);
    }

    /** Returns what each launch of it gave, in order; empty for a server that Lockstep did not start. */
    public List<LaunchResult> launches() {
        return launches;
    }

    /** Returns how its answers differ from the baseline's; absent for the baseline, and where answers were not compared. */
    public Optional<AnswerComparison> comparison() {
        return Optional.ofNullable(comparison);
    }

    /** Returns what a reader of the figures must know, a line each. */
    public List<String> notes() {
        return notes;
    }

    /** Returns what each rewrite of the plan did to the requests; empty where there is none. */
    public List<RewriteCount> rewrites() {
        return rewrites;
    }

    /** Returns the histograms behind the figures, where they were measured or read here. */
    public Optional<LoadResult> load() {
        return Optional.ofNullable(load);
    }

    /** Says whether the load gave figures, so that a run directory has histogram files for this target. */
    boolean isMeasured() {
        return measured != null;
    }

    /** Returns this result with the histograms that belong to its figures. */
    TargetResult withHistograms(
            Histogram responseTime,
            Histogram serviceTime,
            Histogram generatorLag,
            Histogram ownLag,
            Histogram opaqueFirstByte,
            Histogram opaqueLastByte) {
        return toBuilder()
                .load(LoadResult.builder()
                        .counts(measured.counts.copy())
                        .measuredNs(measured.measuredNs)
                        .responseTime(responseTime)
                        .serviceTime(serviceTime)
                        .generatorLag(generatorLag)
                        .ownLag(ownLag)
                        .opaqueTimes(opaqueFirstByte, opaqueLastByte)
                        .outages(measured.outages, measured.outagesLeftOut)
                        .streamDigest(measured.streamDigest)
                        .build())
                .build();
    }

    /**
     * Returns both as one. Counts and histograms add up; what only one of the two knows is kept, and where both know
     * something about the target itself, such as its CPU time, this one's word counts.
     */
    TargetResult merge(TargetResult other) {
        Builder merged = toBuilder();
        merged.profile = first(profile, other.profile);
        merged.address = first(address, other.address);
        merged.jit = first(jit, other.jit);
        merged.jitProof = first(jitProof, other.jitProof);
        merged.jvm = first(jvm, other.jvm);
        merged.command = command.isEmpty() ? other.command : command;
        merged.jvmOptions = jvmOptions.isEmpty() ? other.jvmOptions : jvmOptions;
        merged.cpus = first(cpus, other.cpus);
        merged.isolation = first(isolation, other.isolation);
        merged.memoryLimitBytes = first(memoryLimitBytes, other.memoryLimitBytes);
        merged.memoryPeakBytes = first(memoryPeakBytes, other.memoryPeakBytes);
        merged.startupNs = first(startupNs, other.startupNs);
        merged.rounds = rounds.isPresent() ? rounds : other.rounds;
        merged.exit = first(exit, other.exit);
        merged.intervalsLost = intervalsLost.isPresent() && other.intervalsLost.isPresent()
                ? OptionalLong.of(intervalsLost.getAsLong() + other.intervalsLost.getAsLong())
                : first(intervalsLost, other.intervalsLost);
        merged.startup = first(startup, other.startup);
        merged.warmup = first(warmup, other.warmup);
        merged.costs = costs.isEmpty() ? other.costs : costs;
        merged.gcOverlap = first(gcOverlap, other.gcOverlap);
        merged.launches = launches.isEmpty() ? other.launches : launches;
        merged.comparison = first(comparison, other.comparison);
        Set<String> both = new LinkedHashSet<>(notes);
        both.addAll(other.notes);
        merged.notes = new ArrayList<>(both);
        merged.rewrites = RewriteCount.sum(rewrites, other.rewrites);
        if (measured != null && other.measured != null) {
            merged.load(requireHistograms().merge(other.requireHistograms()));
        } else if (other.measured != null) {
            merged.load(other.requireHistograms());
        }
        return merged.build();
    }

    /** Returns this result with what was measured after it was made, of all launches and of each. */
    TargetResult measured(LoadResult found, Costs cost, List<LaunchResult> each) {
        Builder builder = toBuilder().load(found).costs(cost);
        builder.launches = each;
        return builder.build();
    }

    /** Returns this result of a target that ended by itself with its last intervals. */
    TargetResult withLastMinute(List<IntervalFigures> intervals) {
        Builder builder = toBuilder();
        builder.exit = exit.withLastMinute(intervals);
        return builder.build();
    }

    private LoadResult requireHistograms() {
        if (load == null) {
            throw new IllegalArgumentException("target " + name
                    + ": results are merged with their histograms; read the whole run directory, not run.json alone");
        }
        return load;
    }

    private static <T> T first(T mine, T theirs) {
        return mine != null ? mine : theirs;
    }

    private static OptionalLong first(OptionalLong mine, OptionalLong theirs) {
        return mine.isPresent() ? mine : theirs;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("name", name);
        JsonFields.put(json, "profile", profile);
        JsonFields.put(json, "address", address);
        JsonFields.put(json, "jit", jit);
        JsonFields.put(json, "jitProof", jitProof);
        JsonFields.put(json, "jvm", jvm);
        JsonFields.put(json, "command", command);
        JsonFields.put(json, "jvmOptions", jvmOptions);
        JsonFields.put(json, "cpus", cpus);
        JsonFields.put(json, "isolation", isolation);
        JsonFields.put(json, "memoryLimitBytes", memoryLimitBytes);
        JsonFields.put(json, "memoryPeakBytes", memoryPeakBytes);
        JsonFields.put(json, "startupNs", startupNs);
        JsonFields.put(json, "rounds", rounds);
        JsonFields.put(json, "exit", exit, TargetExit::toJson);
        if (measured != null) {
            putMeasured(json);
        }
        costs.putInto(json, successful());
        JsonFields.put(json, "startup", startup, Startup::toJson);
        JsonFields.put(json, "warmup", warmup, Warmup::toJson);
        JsonFields.put(json, "gcOverlap", gcOverlap, GcOverlap::toJson);
        JsonFields.putEach(json, "launches", launches, LaunchResult::toJson);
        JsonFields.putEach(json, "rewrites", rewrites, RewriteCount::toJson);
        JsonFields.put(json, "comparison", comparison, AnswerComparison::toJson);
        JsonFields.put(json, "notes", notes);
        return json;
    }

    private void putMeasured(ObjectNode json) {
        LoadCounts counts = measured.counts;
        json.put("measuredNs", measured.measuredNs);
        json.put("sent", counts.sent);
        json.put("completed", counts.completed);
        json.put("unanswered", counts.unanswered);
        if (counts.oneway > 0) {
            json.put("oneway", counts.oneway);
        }
        if (counts.opaqueBytesSent > 0) {
            json.put("opaqueBytesSent", counts.opaqueBytesSent);
        }
        if (counts.opaqueBytesUnsent > 0) {
            json.put("opaqueBytesUnsent", counts.opaqueBytesUnsent);
        }
        if (counts.opaqueBursts > 0) {
            json.put("opaqueBursts", counts.opaqueBursts);
            json.put("opaqueBurstsUnanswered", counts.opaqueBurstsUnanswered);
        }
        if (counts.semanticRequests > 0) {
            json.put("semanticRequests", counts.semanticRequests);
            json.put("tagsChanged", counts.tagsChanged);
        }
        json.put("unsent", counts.unsent);
        json.put("deferred", counts.deferred);
        json.put("connections", counts.connections);
        if (counts.strayAnswers > 0) {
            json.put("strayAnswers", counts.strayAnswers);
        }
        ObjectNode errors = json.putObject("errors");
        counts.errorsByKind().forEach((kind, count) -> errors.put(kind.key(), count));
        if (!counts.thriftExceptions().isEmpty()) {
            ObjectNode exceptions = json.putObject("thriftExceptions");
            counts.thriftExceptions().forEach((type, count) -> exceptions.put(type.toString(), count));
        }
        ObjectNode statusCodes = json.putObject("statusCodes");
        counts.statusCodes().forEach((code, count) -> statusCodes.put(code.toString(), count));
        ArrayNode outages = json.putArray("outages");
        measured.outages.forEach(outage -> outages.add(outage.toJson()));
        if (measured.outagesLeftOut > 0) {
            json.put("outagesLeftOut", measured.outagesLeftOut);
        }
        JsonFields.put(json, "intervalsLost", intervalsLost);
        JsonFields.put(json, "streamSha256", measured.streamDigest.sha256());
        JsonFields.put(json, "streamSha256Absent", measured.streamDigest.absentReason());
        JsonFields.put(json, "throughputPerSec", throughputPerSec());
        json.put("bytesSent", counts.bytesSent);
        json.put("bytesReceived", counts.bytesReceived);
        json.put("bodyBytesReceived", counts.bodyBytesReceived);
        json.set("responseTimeNs", measured.responseTime.toJson());
        json.set("serviceTimeNs", measured.serviceTime.toJson());
        json.set("generatorLagNs", measured.generatorLag.toJson());
        json.set("ownLagNs", measured.ownLag.toJson());
        if (measured.opaqueFirstByte != null) {
            json.set("opaqueFirstByteNs", measured.opaqueFirstByte.toJson());
            json.set("opaqueLastByteNs", measured.opaqueLastByte.toJson());
        }
    }

    static TargetResult fromJson(JsonFields json) {
        Builder builder = builder(json.text("name"));
        builder.profile = json.textOrNull("profile");
        builder.address = json.textOrNull("address");
        builder.jit = json.textOrNull("jit");
        builder.jitProof = json.textOrNull("jitProof");
        builder.jvm = json.textOrNull("jvm");
        builder.command = json.texts("command");
        builder.jvmOptions = json.texts("jvmOptions");
        builder.cpus = json.textOrNull("cpus");
        builder.isolation = json.textOrNull("isolation");
        builder.memoryLimitBytes = json.numberOrAbsent("memoryLimitBytes");
        builder.memoryPeakBytes = json.numberOrAbsent("memoryPeakBytes");
        builder.startupNs = json.numberOrAbsent("startupNs");
        builder.rounds = json.smallNumberOrAbsent("rounds");
        builder.exit = json.objectOrNull("exit", TargetExit::fromJson);
        builder.measured = json.has("sent") ? measuredFromJson(json) : null;
        builder.intervalsLost = json.numberOrAbsent("intervalsLost");
        builder.costs = Costs.fromJson(json);
        builder.startup = json.objectOrNull("startup", Startup::fromJson);
        builder.warmup = json.objectOrNull("warmup", Warmup::fromJson);
        builder.gcOverlap = json.objectOrNull("gcOverlap", GcOverlap::fromJson);
        builder.launches = json.objects("launches", LaunchResult::fromJson);
        builder.rewrites = json.objects("rewrites", RewriteCount::fromJson);
        builder.comparison = json.objectOrNull("comparison", AnswerComparison::fromJson);
        builder.notes = json.texts("notes");
        return json.check(builder::build);
    }

    private static Measured measuredFromJson(JsonFields json) {
        LoadCounts counts = new LoadCounts();
        counts.sent = json.number("sent");
        counts.completed = json.number("completed");
        counts.unanswered = json.number("unanswered");
        counts.oneway = json.has("oneway") ? json.number("oneway") : 0;
        counts.opaqueBytesUnsent = json.has("opaqueBytesUnsent") ? json.number("opaqueBytesUnsent") : 0;
        counts.opaqueBytesSent = json.has("opaqueBytesSent") ? json.number("opaqueBytesSent") : 0;
        counts.opaqueBursts = json.numberOrAbsent("opaqueBursts").orElse(0);
        counts.opaqueBurstsUnanswered =
                json.numberOrAbsent("opaqueBurstsUnanswered").orElse(0);
        counts.semanticRequests = json.numberOrAbsent("semanticRequests").orElse(0);
        counts.tagsChanged = json.numberOrAbsent("tagsChanged").orElse(0);
        counts.unsent = json.number("unsent");
        counts.deferred = json.number("deferred");
        counts.connections = json.number("connections");
        counts.strayAnswers = json.numberOrAbsent("strayAnswers").orElse(0);
        counts.bytesSent = json.number("bytesSent");
        counts.bytesReceived = json.number("bytesReceived");
        counts.bodyBytesReceived = json.number("bodyBytesReceived");
        for (Map.Entry<String, Long> error : json.counts("errors").entrySet()) {
            ErrorKind kind = json.check(() -> ErrorKind.parse(error.getKey()));
            counts.error(kind, error.getValue());
        }
        Map<String, Long> exceptions = json.has("thriftExceptions") ? json.counts("thriftExceptions") : Map.of();
        for (Map.Entry<String, Long> exception : exceptions.entrySet()) {
            int type = json.check(() -> exceptionType(exception.getKey()));
            counts.thriftException(type, exception.getValue());
        }
        for (Map.Entry<String, Long> status : json.counts("statusCodes").entrySet()) {
            int code = json.check(() -> statusCode(status.getKey()));
            counts.status(code, status.getValue());
        }
        String sha256 = json.textOrNull("streamSha256");
        StreamDigest digest =
                sha256 != null ? StreamDigest.of(sha256) : StreamDigest.absent(json.text("streamSha256Absent"));
        return new Measured(
                counts,
                json.number("measuredNs"),
                digest,
                Percentiles.fromJson(json.object("responseTimeNs")),
                Percentiles.fromJson(json.object("serviceTimeNs")),
                Percentiles.fromJson(json.object("generatorLagNs")),
                Percentiles.fromJson(json.object("ownLagNs")),
                json.objectOrNull("opaqueFirstByteNs", Percentiles::fromJson),
                json.objectOrNull("opaqueLastByteNs", Percentiles::fromJson),
                json.objects("outages").stream().map(Outage::fromJson).collect(Collectors.toList()),
                json.numberOrAbsent("outagesLeftOut").orElse(0));
    }

    private static int exceptionType(String text) {
        if (!text.matches("[0-9]|1[01]")) {
            throw new IllegalArgumentException(
                    "thriftExceptions: expected a type from 0 to 11, found " + Rules.quote(text));
        }
        return Integer.parseInt(text);
    }

    private static int statusCode(String text) {
        if (!text.matches("[0-9]{1,3}")) {
            throw new IllegalArgumentException(
                    "statusCodes: expected a code from 0 to 999, found " + Rules.quote(text));
        }
        return Integer.parseInt(text);
    }

    /** Collects the fields; all but the name may be left out. */
    public static final class Builder {
        private final String name;
        private String profile;
        private String address;
        private String jit;
        private String jitProof;
        private String jvm;
        private List<String> command = List.of();
        private List<String> jvmOptions = List.of();
        private String cpus;
        private String isolation;
        private OptionalLong memoryLimitBytes = OptionalLong.empty();
        private OptionalLong memoryPeakBytes = OptionalLong.empty();
        private OptionalLong startupNs = OptionalLong.empty();
        private OptionalInt rounds = OptionalInt.empty();
        private TargetExit exit;
        private Measured measured;
        private LoadResult load;
        private OptionalLong intervalsLost = OptionalLong.empty();
        private Startup startup;
        private Warmup warmup;
        private Costs costs = Costs.NONE;
        private GcOverlap gcOverlap;
        private List<LaunchResult> launches = new ArrayList<>();
        private List<RewriteCount> rewrites = List.of();
        private AnswerComparison comparison;
        private List<String> notes = new ArrayList<>();

        private Builder(String name) {
            this.name = name;
        }

        public Builder profile(String profile) {
            this.profile = profile;
            return this;
        }

        public Builder address(String hostAndPort) {
            this.address = hostAndPort;
            return this;
        }

        public Builder jit(String jit) {
            this.jit = jit;
            return this;
        }

        public Builder jitProof(String line) {
            this.jitProof = line;
            return this;
        }

        public Builder jvm(String nameAndVersion) {
            this.jvm = nameAndVersion;
            return this;
        }

        /** The command line without environment variables, whose values can be secrets. */
        public Builder command(List<String> command) {
            this.command = List.copyOf(command);
            return this;
        }

        public Builder jvmOptions(List<String> jvmOptions) {
            this.jvmOptions = List.copyOf(jvmOptions);
            return this;
        }

        public Builder cpus(String kernelList) {
            this.cpus = kernelList;
            return this;
        }

        public Builder isolation(String isolation) {
            this.isolation = isolation;
            return this;
        }

        public Builder memoryLimitBytes(long bytes) {
            this.memoryLimitBytes = OptionalLong.of(bytes);
            return this;
        }

        public Builder memoryPeakBytes(long bytes) {
            this.memoryPeakBytes = OptionalLong.of(bytes);
            return this;
        }

        public Builder startupNs(long ns) {
            this.startupNs = OptionalLong.of(ns);
            return this;
        }

        public Builder rounds(int rounds) {
            this.rounds = OptionalInt.of(rounds);
            return this;
        }

        public Builder exit(TargetExit exit) {
            this.exit = exit;
            return this;
        }

        /** Takes counts, times and digest from what the replayer measured. */
        public Builder load(LoadResult load) {
            this.load = load;
            this.measured = new Measured(
                    load.counts().copy(),
                    load.measuredNs(),
                    load.streamDigest(),
                    Percentiles.of(load.responseTime()),
                    Percentiles.of(load.serviceTime()),
                    Percentiles.of(load.generatorLag()),
                    Percentiles.of(load.ownLag()),
                    load.hasOpaqueTimes() ? Percentiles.of(load.opaqueFirstByte()) : null,
                    load.hasOpaqueTimes() ? Percentiles.of(load.opaqueLastByte()) : null,
                    load.outages(),
                    load.outagesLeftOut());
            return this;
        }

        /** How many intervals the run directory lacks; left out where it lacks none. */
        public Builder intervalsLost(long intervals) {
            this.intervalsLost = OptionalLong.of(intervals);
            return this;
        }

        /** One quantity of what it cost in the measured phase. */
        public Builder cost(Cost cost, long value) {
            this.costs = costs.with(cost, value);
            return this;
        }

        /** What it cost in the measured phase. */
        public Builder costs(Costs costs) {
            this.costs = costs;
            return this;
        }

        public Builder startup(Startup startup) {
            this.startup = startup;
            return this;
        }

        public Builder warmup(Warmup warmup) {
            this.warmup = warmup;
            return this;
        }

        public Builder gcOverlap(GcOverlap gcOverlap) {
            this.gcOverlap = gcOverlap;
            return this;
        }

        /** Adds what a launch gave; in their order. */
        public Builder launch(LaunchResult launch) {
            this.launches.add(launch);
            return this;
        }

        public Builder comparison(AnswerComparison comparison) {
            this.comparison = comparison;
            return this;
        }

        public Builder note(String line) {
            this.notes.add(line);
            return this;
        }

        /** What each rewrite of the plan did, in the plan's order. */
        public Builder rewrites(List<RewriteCount> rewrites) {
            this.rewrites = List.copyOf(rewrites);
            return this;
        }

        public TargetResult build() {
            Rules.targetName(name);
            return new TargetResult(this);
        }
    }
}
