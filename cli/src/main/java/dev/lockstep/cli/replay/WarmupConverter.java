package dev.lockstep.cli.replay;

import dev.lockstep.cli.options.DurationConverter;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads what {@code --warmup} takes: {@code auto}, or a duration. */
final class WarmupConverter implements ITypeConverter<WarmupConverter.Warmup> {
    private final DurationConverter durations = new DurationConverter.SecondsByDefault();

    /** For how long to warm up. Immutable. */
    static final class Warmup {
        private final Duration time;

        private Warmup(Duration time) {
            this.time = time;
        }

        static Warmup of(Duration time) {
            return new Warmup(time);
        }

        /** Returns the fixed time; absent where it takes until a target is steady. */
        Optional<Duration> time() {
            return Optional.ofNullable(time);
        }
    }

    @Override
    public Warmup convert(String value) {
        if (value.equals("auto")) {
            return new Warmup(null);
        }
        try {
            return new Warmup(durations.convert(value));
        } catch (TypeConversionException e) {
            throw new TypeConversionException(
                    e.getMessage().replace("expected a duration", "expected auto or a duration"));
        }
    }
}
