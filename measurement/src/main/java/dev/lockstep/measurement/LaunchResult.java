package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What one launch of a target's JVM gave: the unit of replication of a comparison. Immutable; what was not measured is
 * absent. The figures have the names and units that they have for the whole target in {@link TargetResult}.
 */
public final class LaunchResult {
    private final int launch;
    private final int position;
    private final String cpus;
    private final Startup startup;
    private final Warmup warmup;
    private final boolean measured;
    private final long completed;
    private final long errors;
    private final long serverErrors;
    private final long measuredNs;
    private final Percentiles responseTime;
    private final Percentiles serviceTime;
    private final Costs costs;
    private final TargetExit exit;
    private final List<String> notes;

    private LaunchResult(Builder builder) {
        launch = builder.launch;
        position = builder.position;
        cpus = builder.cpus;
        startup = builder.startup;
        warmup = builder.warmup;
        measured = builder.measured;
        completed = builder.completed;
        errors = builder.errors;
        serverErrors = builder.serverErrors;
        measuredNs = builder.measuredNs;
        responseTime = builder.responseTime;
        serviceTime = builder.serviceTime;
        costs = builder.costs;
        exit = builder.exit;
        notes = List.copyOf(builder.notes);
    }

    /**
     * @param launch counted from 1
     * @param position in which the target was started among the targets of this launch, counted from 1
     */
    public static Builder builder(int launch, int position) {
        return new Builder(launch, position);
    }

    /** Returns this launch with what was measured of it later. */
    LaunchResult measured(LoadResult load, Costs found) {
        Builder builder = builder(launch, position);
        builder.cpus = cpus;
        builder.startup = startup;
        builder.warmup = warmup;
        builder.exit = exit;
        builder.notes = new ArrayList<>(notes);
        return builder.load(load).costs(found).build();
    }

    /** Returns which launch it was, counted from 1. */
    public int launch() {
        return launch;
    }

    /** Returns as which of the targets it was started in this launch, counted from 1. */
    public int position() {
        return position;
    }

    /** Returns the processors it had, as read back from the kernel. */
    public Optional<String> cpus() {
        return Optional.ofNullable(cpus);
    }

    /** Returns how long it took to start; absent where it never was ready. */
    public Optional<Startup> startup() {
        return Optional.ofNullable(startup);
    }

    /** Returns how it warmed up; absent where its load was too short to tell. */
    public Optional<Warmup> warmup() {
        return Optional.ofNullable(warmup);
    }

    /** Tells whether it got measured load; without, all figures of the load are absent or 0. */
    public boolean isMeasured() {
        return measured;
    }

    public long completed() {
        return completed;
    }

    /** Returns how many requests got no good answer, of all kinds together. */
    public long errors() {
        return errors;
    }

    /** Returns how many of the completed requests were answered with a status of 5xx. */
    public long serverErrors() {
        return serverErrors;
    }

    /** Returns how many requests were answered, and not with a status of 5xx. */
    public long successful() {
        return completed - serverErrors;
    }

    /** Returns how long it was under measured load. */
    public long measuredNs() {
        return measuredNs;
    }

    /** Returns completed requests per second of measured time. */
    public OptionalDouble throughputPerSec() {
        return LoadCounts.perSec(completed, measuredNs);
    }

    /** Returns last byte minus intended. */
    public Optional<Percentiles> responseTime() {
        return Optional.ofNullable(responseTime);
    }

    /** Returns last byte minus written. */
    public Optional<Percentiles> serviceTime() {
        return Optional.ofNullable(serviceTime);
    }

    /** Returns what it cost while it was measured. */
    public Costs costs() {
        return costs;
    }

    /** Returns a total of its costs per successful request. */
    public OptionalDouble perRequest(Cost cost) {
        return costs.perRequest(cost, successful());
    }

    /** Returns how it ended, if it did so before Lockstep stopped it. */
    public Optional<TargetExit> exit() {
        return Optional.ofNullable(exit);
    }

    /** Returns what a reader of its figures must know, a line each. */
    public List<String> notes() {
        return notes;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("launch", launch);
        json.put("position", position);
        JsonFields.put(json, "cpus", cpus);
        JsonFields.put(json, "startup", startup, Startup::toJson);
        JsonFields.put(json, "warmup", warmup, Warmup::toJson);
        if (measured) {
            json.put("completed", completed);
            json.put("failed", errors);
            if (serverErrors > 0) {
                json.put("serverErrors", serverErrors);
            }
            json.put("measuredNs", measuredNs);
            JsonFields.put(json, "throughputPerSec", throughputPerSec());
            json.set("responseTimeNs", responseTime.toJson());
            json.set("serviceTimeNs", serviceTime.toJson());
        }
        costs.putInto(json, successful());
        JsonFields.put(json, "exit", exit, TargetExit::toJson);
        if (!notes.isEmpty()) {
            JsonFields.put(json, "notes", notes);
        }
        return json;
    }

    static LaunchResult fromJson(JsonFields json) {
        Builder builder = builder((int) json.number("launch"), (int) json.number("position"));
        builder.cpus = json.textOrNull("cpus");
        builder.startup = json.objectOrNull("startup", Startup::fromJson);
        builder.warmup = json.objectOrNull("warmup", Warmup::fromJson);
        if (json.has("completed")) {
            builder.measured = true;
            builder.completed = json.number("completed");
            builder.errors = json.number("failed");
            builder.serverErrors = json.numberOrAbsent("serverErrors").orElse(0);
            builder.measuredNs = json.number("measuredNs");
            builder.responseTime = Percentiles.fromJson(json.object("responseTimeNs"));
            builder.serviceTime = Percentiles.fromJson(json.object("serviceTimeNs"));
        }
        builder.costs = Costs.fromJson(json);
        builder.exit = json.objectOrNull("exit", TargetExit::fromJson);
        builder.notes = json.texts("notes");
        return builder.build();
    }

    /** Collects the figures; all may be left out. */
    public static final class Builder {
        private final int launch;
        private final int position;
        private String cpus;
        private Startup startup;
        private Warmup warmup;
        private boolean measured;
        private long completed;
        private long errors;
        private long serverErrors;
        private long measuredNs;
        private Percentiles responseTime;
        private Percentiles serviceTime;
        private Costs costs = Costs.NONE;
        private TargetExit exit;
        private List<String> notes = new ArrayList<>();

        private Builder(int launch, int position) {
            this.launch = launch;
            this.position = position;
        }

        public Builder cpus(String kernelList) {
            this.cpus = kernelList;
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

        /** Takes counts and times from what the replayer measured. */
        public Builder load(LoadResult load) {
            measured = true;
            completed = load.counts().completed;
            errors = load.counts().errors();
            serverErrors = load.counts().serverErrors();
            measuredNs = load.measuredNs();
            responseTime = Percentiles.of(load.responseTime());
            serviceTime = Percentiles.of(load.serviceTime());
            return this;
        }

        /** What it cost while it was measured. */
        public Builder costs(Costs costs) {
            this.costs = costs;
            return this;
        }

        public Builder exit(TargetExit exit) {
            this.exit = exit;
            return this;
        }

        public Builder note(String line) {
            notes.add(line);
            return this;
        }

        public LaunchResult build() {
            return new LaunchResult(this);
        }
    }
}
