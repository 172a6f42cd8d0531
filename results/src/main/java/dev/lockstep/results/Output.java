package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.lockstep.measurement.Rules;

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

    /** Returns the output of a {@link #key}. */
    @JsonCreator
    public static Output parse(String key) {
        for (Output output : values()) {
            if (output.key.equals(key)) {
                return output;
            }
        }
        throw new IllegalArgumentException("output must be both, short, full or hey, is " + Rules.quote(key));
    }
}
