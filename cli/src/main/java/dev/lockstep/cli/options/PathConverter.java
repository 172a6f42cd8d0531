package dev.lockstep.cli.options;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads paths. An empty one, as of a shell variable that is not set, would mean the current folder to Java, and a URL a
 * path too.
 */
public final class PathConverter implements ITypeConverter<Path> {
    private static final Pattern URL = Pattern.compile("(?i)https?://");

    @Override
    public Path convert(String value) {
        if (value.isEmpty()) {
            throw new TypeConversionException("expected a path, found ''");
        }
        if (URL.matcher(value).lookingAt()) {
            // Not repeated, since it may hold what is secret.
            throw new TypeConversionException("expected a path, found a URL; save what it leads to first");
        }
        try {
            return Paths.get(value);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("expected a path, found '" + value + "': " + e.getReason());
        }
    }
}
