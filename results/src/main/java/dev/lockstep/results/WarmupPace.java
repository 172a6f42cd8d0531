package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

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

    @JsonCreator
    static WarmupPace parse(String key) {
        return Keys.parse(values(), WarmupPace::key, key);
    }
}
