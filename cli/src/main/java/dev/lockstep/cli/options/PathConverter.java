package dev.lockstep.cli.options;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads paths. An empty one, as of a shell variable that is not set, would mean the current folder to Java. */
public final class PathConverter implements ITypeConverter<Path> {
    @Override
    public Path convert(String value) {
        if (value.isEmpty()) {
            throw new TypeConversionException("expected a path, found ''");
        }
        try {
            return Paths.get(value);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("expected a path, found '" + value + "': " + e.getReason());
        }
    }
}
