package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How much of a result is printed as text. */
public enum Output {
    /** What hey would print of each target, then the first screen. */
    BOTH,
    /** The first screen alone: the answer, one table, what was odd, and what to do next. */
    SHORT,
    /** Everything. */
    FULL,
    /** What hey would print of each target, and nothing else. */
    HEY;

    /** Returns the name used on the command line and in files. */
    @JsonValue
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    @JsonCreator
    static Output parse(String key) {
        return Keys.parse(values(), Output::key, key);
    }
}
