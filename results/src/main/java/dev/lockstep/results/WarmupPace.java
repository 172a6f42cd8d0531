package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.lockstep.measurement.Rules;

/** How fast a target is warmed up until it is steady. */
public enum WarmupPace {
    /** As fast as it answers, and then at the pace that is measured until it is steady at that too. */
    MAX("max"),
    /** At the pace that is measured. */
    RECORDED("recorded");

    private final String key;

    WarmupPace(String key) {
        this.key = key;
    }

    /** Returns the name used on the command line and in files. */
    @JsonValue
    public String key() {
        return key;
    }

    /** Returns the pace of a {@link #key}. */
    @JsonCreator
    public static WarmupPace parse(String key) {
        for (WarmupPace pace : values()) {
            if (pace.key.equals(key)) {
                return pace;
            }
        }
        throw new IllegalArgumentException("warm-up pace must be max or recorded, is " + Rules.quote(key));
    }
}
