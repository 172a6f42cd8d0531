package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.lockstep.measurement.Rules;

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

    /** Returns the schedule of a {@link #key}. */
    @JsonCreator
    public static TargetSchedule parse(String key) {
        for (TargetSchedule schedule : values()) {
            if (schedule.key.equals(key)) {
                return schedule;
            }
        }
        throw new IllegalArgumentException("schedule must be together or alternate, is " + Rules.quote(key));
    }
}
