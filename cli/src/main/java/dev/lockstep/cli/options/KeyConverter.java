package dev.lockstep.cli.options;

import dev.lockstep.results.Keys;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the key of one of an enum's constants. */
public abstract class KeyConverter<T> implements ITypeConverter<T> {
    private final T[] constants;
    private final Function<T, String> key;

    /** @param key of a constant, as it is written */
    protected KeyConverter(T[] constants, Function<T, String> key) {
        this.constants = constants;
        this.key = key;
    }

    @Override
    public T convert(String value) {
        return Keys.find(constants, key, value)
                .orElseThrow(() -> new TypeConversionException(
                        "expected " + Keys.all(constants, key) + ", found '" + value + "'"));
    }
}
