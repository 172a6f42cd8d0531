package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ErrorKindTest {
    @Test
    void isFoundByItsKey() {
        for (ErrorKind kind : ErrorKind.values()) {
            assertEquals(kind, ErrorKind.parse(kind.key()));
        }
    }

    @Test
    void refusesAnUnknownKey() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> ErrorKind.parse("connection-lost"));
        assertEquals("unknown kind of error \"connection-lost\"", e.getMessage());
    }
}
