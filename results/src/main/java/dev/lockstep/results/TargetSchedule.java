package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** When the targets of a run get their load. */
public enum TargetSchedule {
    /** All at the same time, each on cores of its own. */
    TOGETHER,
    /** One after the other in short rounds, the others frozen meanwhile, where there are too few cores. */
    ALTERNATE;

    /** Returns the name used on the command line and in files. */
    @JsonValue
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    @JsonCreator
    static TargetSchedule parse(String key) {
        return Keys.parse(values(), TargetSchedule::key, key);
    }
}
