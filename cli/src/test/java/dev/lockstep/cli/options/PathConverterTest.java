package dev.lockstep.cli.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Paths;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class PathConverterTest {
    private final PathConverter converter = new PathConverter();

    @Test
    void readsPaths() {
        assertEquals(Paths.get("a/b.bin"), converter.convert("a/b.bin"));
        assertEquals(Paths.get("http"), converter.convert("http"));
    }

    @Test
    void refusesWhatIsNoneAndRepeatsNoUrl() {
        assertEquals("expected a path, found ''", refused(""));
        assertEquals(
                "expected a path, found a URL; save what it leads to first", refused("HTTPS://user:secret@host/a.bin"));
    }

    private String refused(String value) {
        return assertThrows(TypeConversionException.class, () -> converter.convert(value))
                .getMessage();
    }
}
