package dev.lockstep.cli.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

final class DurationConverterTest {
    @ParameterizedTest
    @CsvSource({
        "10s, PT10S",
        "2m, PT2M",
        "1h30m, PT1H30M",
        "1h2m3s4ms, PT1H2M3.004S",
        "1.5s, PT1.5S",
        "500ms, PT0.5S",
        "250us, PT0.00025S",
        "7ns, PT0.000000007S",
        "0, PT0S",
        "0s, PT0S",
        "366h, PT366H"
    })
    void readsWhatHeyAndGoWrite(String text, Duration expected) {
        assertEquals(expected, new DurationConverter().convert(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "s", "10 s", "-1s", "1d", "1s ", "1..5s", "s10", "10sx", "١s"})
    void refusesOtherTextsWithAnExample(String text) {
        TypeConversionException e =
                assertThrows(TypeConversionException.class, () -> new DurationConverter().convert(text));
        assertEquals("expected a duration such as 10s, 500ms, 2m or 1h30m, found '" + text + "'", e.getMessage());
    }

    @Test
    void refusesMoreThanAYearInsteadOfOverflowing() {
        TypeConversionException e =
                assertThrows(TypeConversionException.class, () -> new DurationConverter().convert("999999999999h"));
        assertEquals("expected at most 366 days, found '999999999999h'", e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1ns", "1500ns", "2us", "1500ms", "90s", "61m", "36h"})
    void writesWhatItReadsInTheLargestUnitThatLeavesNoRest(String text) {
        assertEquals(text, DurationConverter.print(new DurationConverter().convert(text)));
    }

    @Test
    void takesABareNumberAsSecondsOnlyWhereHeyDoes() {
        assertEquals(Duration.ofSeconds(20), new DurationConverter.SecondsByDefault().convert("20"));
        assertEquals(Duration.ofMillis(500), new DurationConverter.SecondsByDefault().convert("0.5"));
        assertEquals(Duration.ofMillis(500), new DurationConverter.SecondsByDefault().convert("500ms"));
        assertEquals(Duration.ZERO, new DurationConverter.SecondsByDefault().convert("0"));
    }
}
