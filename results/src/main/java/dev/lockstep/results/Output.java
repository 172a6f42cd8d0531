package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** How much of a result is printed as text. */
public enum Output {
    /** What hey would print of each target, then the first screen. */
    BOTH("both"),
    /** The first screen alone: the answer, one table, what was odd, and what to do next. */
    SHORT("short"),
    /** Everything. */
    FULL("full"),
    /** What hey would print of each target, and nothing else. */
    HEY("hey");

    private final String key;

    Output(String key) {
        this.key = key;
    }

    /** Returns the name used on the command line and in files. */
    @JsonValue
    public String key() {
        return key;
    }

    @JsonCreator
    static Output parse(String key) {
        return Keys.parse(values(), Output::key, key);
    }
}
