package dev.lockstep.conversion;

import java.util.List;
import org.immutables.value.Value;

/** What was left out, or done in another way than the file says, for one reason. */
@Value.Immutable(builder = false, copy = false)
public abstract class Finding {
    public abstract String reason();

    public abstract long count();

    /** Where it happened first, such as {@code line 12}; at most three places. */
    public abstract List<String> places();

    /** All of it in one line for people, such as {@code 2: the request is empty (line 12, line 15)}. */
    public final String line() {
        return count() + ": " + reason()
                + (places().isEmpty()
                        ? ""
                        : " (" + String.join(", ", places()) + (count() > places().size() ? ", ..." : "") + ")");
    }
}
