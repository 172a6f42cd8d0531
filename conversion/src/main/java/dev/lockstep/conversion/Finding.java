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
}
