package dev.lockstep.tuner;

import java.util.Arrays;
import java.util.Locale;
import org.immutables.value.Value;

/** A configuration that is to be evaluated, once. Immutable. */
@Value.Immutable
@ValueStyle
public abstract class Trial {
    /** Why a configuration was chosen. */
    public enum Origin {
        /** It is the default. */
        DEFAULT,
        /** The user asked for it. */
        OWN,
        /** It helps to cover the space evenly, before there is a model. */
        DESIGN,
        /** The model expects most of it. */
        MODEL;

        /** What files and pages call it. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** @throws IllegalArgumentException with one line */
        public static Origin of(String label) {
            return Arrays.stream(values())
                    .filter(origin -> origin.label().equals(label))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("origin: unknown '" + label + "'"));
        }
    }

    Trial() {}

    /** @param number counted from 1 */
    public static Trial of(int number, Configuration configuration, Origin origin) {
        if (number < 1) {
            throw new IllegalArgumentException("trial: must be 1 or more, is " + number);
        }
        return ImmutableTrial.builder()
                .number(number)
                .configuration(configuration)
                .origin(origin)
                .build();
    }

    /** Counted from 1, in the order of asking. */
    public abstract int number();

    public abstract Configuration configuration();

    public abstract Origin origin();

    /** Returns this trial of another configuration: that which was in effect in place of the one asked for. */
    public Trial withConfiguration(Configuration configuration) {
        return of(number(), configuration, origin());
    }
}
