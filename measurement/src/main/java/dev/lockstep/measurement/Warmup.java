package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalLong;

/**
 * How a launch of a target warmed up: whether it reached a steady state under the load that it got, and after how long and
 * how many requests. Immutable.
 */
public final class Warmup {
    private final boolean steady;
    private final OptionalLong durationNs;
    private final OptionalLong requests;

    private Warmup(boolean steady, OptionalLong durationNs, OptionalLong requests) {
        this.steady = steady;
        this.durationNs = durationNs;
        this.requests = requests;
    }

    /**
     * @param durationNs time under load until it was steady
     * @param requests completed until then
     */
    public static Warmup steady(long durationNs, long requests) {
        return new Warmup(true, OptionalLong.of(durationNs), OptionalLong.of(requests));
    }

    /** It was not steady by the end of its load. */
    public static Warmup notSteady() {
        return new Warmup(false, OptionalLong.empty(), OptionalLong.empty());
    }

    public boolean isSteady() {
        return steady;
    }

    public OptionalLong durationNs() {
        return durationNs;
    }

    public OptionalLong requests() {
        return requests;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("steady", steady);
        JsonFields.put(json, "durationNs", durationNs);
        JsonFields.put(json, "requests", requests);
        return json;
    }

    static Warmup fromJson(JsonFields json) {
        return new Warmup(json.flag("steady"), json.numberOrAbsent("durationNs"), json.numberOrAbsent("requests"));
    }
}
