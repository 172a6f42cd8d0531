package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** When the targets of a run get their load. */
public enum TargetSchedule {
    /** All at the same time, each on cores of its own. */
    TOGETHER("together"),
    /** One after the other in short rounds, the others frozen meanwhile, where there are too few cores. */
    ALTERNATE("alternate");

    private final String key;

    TargetSchedule(String key) {
        this.key = key;
    }

    /** Returns the name used on the command line and in files. */
    @JsonValue
    public String key() {
        return key;
    }

    @JsonCreator
    static TargetSchedule parse(String key) {
        return Keys.parse(values(), TargetSchedule::key, key);
    }
}
