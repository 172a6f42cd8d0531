package dev.lockstep.cli.options;

import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the path of a file that is written whole or not at all, and so never to standard output. */
public final class OutputFileConverter implements ITypeConverter<Path> {
    @Override
    public Path convert(String value) {
        if (value.equals("-")) {
            throw new TypeConversionException("expected a file, found '-'; a file is written whole or not at all, which"
                    + " standard output cannot be");
        }
        return new PathConverter().convert(value);
    }
}
