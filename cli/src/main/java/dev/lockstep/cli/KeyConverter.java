package dev.lockstep.cli;

import dev.lockstep.redaction.Unsearchable;
import dev.lockstep.results.Keys;
import dev.lockstep.results.Output;
import dev.lockstep.results.TargetSchedule;
import dev.lockstep.results.WarmupPace;
import java.util.Locale;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the key of one of an enum's constants. */
abstract class KeyConverter<T> implements ITypeConverter<T> {
    private final T[] constants;
    private final Function<T, String> key;

    private KeyConverter(T[] constants, Function<T, String> key) {
        this.constants = constants;
        this.key = key;
    }

    @Override
    public T convert(String value) {
        return Keys.find(constants, key, value)
                .orElseThrow(() -> new TypeConversionException(
                        "expected " + Keys.all(constants, key) + ", found '" + value + "'"));
    }

    static final class OfSchedule extends KeyConverter<TargetSchedule> {
        OfSchedule() {
            super(TargetSchedule.values(), TargetSchedule::key);
        }
    }

    static final class OfWarmupPace extends KeyConverter<WarmupPace> {
        OfWarmupPace() {
            super(WarmupPace.values(), WarmupPace::key);
        }
    }

    static final class OfUnsearchable extends KeyConverter<Unsearchable> {
        OfUnsearchable() {
            super(Unsearchable.values(), what -> what.name().toLowerCase(Locale.ROOT));
        }
    }

    static final class OfDeadlines extends KeyConverter<RewriteOptions.Deadlines> {
        OfDeadlines() {
            super(RewriteOptions.Deadlines.values(), what -> what.name().toLowerCase(Locale.ROOT));
        }
    }

    static final class OfOutput extends KeyConverter<Output> {
        OfOutput() {
            super(Output.values(), Output::key);
        }
    }
}
