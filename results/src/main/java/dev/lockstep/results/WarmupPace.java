package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How fast a target is warmed up until it is steady. */
public enum WarmupPace {
    /** As fast as it answers, and then at the pace that is measured until it is steady at that too. */
    MAX,
    /** At the pace that is measured. */
    RECORDED;

    /** Returns the name used on the command line and in files. */
    @JsonValue
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    @JsonCreator
    static WarmupPace parse(String key) {
        return Keys.parse(values(), WarmupPace::key, key);
    }
}
