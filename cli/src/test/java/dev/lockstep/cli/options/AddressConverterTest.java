package dev.lockstep.cli.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.run.Addresses;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

final class AddressConverterTest {
    @ParameterizedTest
    @CsvSource({"127.0.0.1:8080, 127.0.0.1:8080", "[::1]:80, [0:0:0:0:0:0:0:1]:80", "127.0.0.1:0, 127.0.0.1:0"})
    void readsHostAndPort(String text, String printed) {
        assertEquals(printed, Addresses.print(new AddressConverter().convert(text)));
    }

    @Test
    void readsWhatIsPrinted() {
        String printed = Addresses.print(new AddressConverter().convert("[::1]:8080"));
        assertEquals(printed, Addresses.print(new AddressConverter().convert(printed)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "8080",
                ":8080",
                "127.0.0.1",
                "127.0.0.1:",
                "127.0.0.1:x",
                "127.0.0.1:65536",
                "::1:80",
                "a:-1"
            })
    void refusesOtherTextsWithAnExample(String text) {
        TypeConversionException e =
                assertThrows(TypeConversionException.class, () -> new AddressConverter().convert(text));
        assertEquals("expected HOST:PORT such as 127.0.0.1:8080 or [::1]:8080, found '" + text + "'", e.getMessage());
    }

    @Test
    void saysThatAHostHasNoAddress() {
        TypeConversionException e = assertThrows(
                TypeConversionException.class, () -> new AddressConverter().convert("no-such-host.invalid:80"));
        assertEquals(
                "host 'no-such-host.invalid' of 'no-such-host.invalid:80' has no address here; check its spelling or "
                        + "give an address",
                e.getMessage());
    }
}
