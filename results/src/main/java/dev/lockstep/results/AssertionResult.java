package dev.lockstep.results;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.OptionalDouble;
import org.immutables.value.Value;

/** Whether a condition of {@code --assert} held at the end of a run, and what was compared. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableAssertionResult.Builder.class)
public abstract class AssertionResult {
    public static AssertionResult of(
            String text, boolean holds, OptionalDouble left, OptionalDouble right, String sentence) {
        return ImmutableAssertionResult.builder()
                .text(text)
                .holds(holds)
                .left(left)
                .right(right)
                .sentence(sentence)
                .build();
    }

    /** The condition as it was given. */
    public abstract String text();

    /** Whether it holds. */
    @Value.Default
    public boolean holds() {
        return false;
    }

    /**
     * The value on the left in ns, bytes, shares or plain numbers; absent where the run has none. Of a condition
     * between two targets on one metric it is the ratio, as verdicts have it, and the factor stands on the right.
     */
    public abstract OptionalDouble left();

    /** Likewise on the right. */
    public abstract OptionalDouble right();

    /** What was found, for people. */
    public abstract String sentence();
}
