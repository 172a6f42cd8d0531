package dev.lockstep.cli.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

final class BytesConverterTest {
    @ParameterizedTest
    @CsvSource({"128m, 134217728", "128M, 134217728", "1g, 1073741824", "65536k, 67108864", "256MB, 268435456"})
    void readsPowersOf1024(String text, long bytes) {
        assertEquals(bytes, new BytesConverter().convert(text));
    }

    @Test
    void saysThatANumberIsTooLarge() {
        TypeConversionException e =
                assertThrows(TypeConversionException.class, () -> new BytesConverter().convert("1234567890g"));
        assertEquals("expected at most 999999999g, found '1234567890g', which is too large", e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"134217728, 128m", "65536, 64k", "1073741824, 1g", "1000, 1000 bytes", "0, 0 bytes"})
    void printsWhatItReads(long bytes, String text) {
        assertEquals(text, BytesConverter.print(bytes));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "128", "m", "-1m", "1.5g", "1t", "128 m"})
    void refusesOtherTextsWithAnExample(String text) {
        TypeConversionException e =
                assertThrows(TypeConversionException.class, () -> new BytesConverter().convert(text));
        assertEquals(
                "expected an amount of memory with its unit such as 128m or 1g, found '" + text + "'", e.getMessage());
    }
}
