package dev.lockstep.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class PublishedTableTest {
    @Test
    void shortensPackagesAndNoLibraries() {
        assertEquals("j.u.HashMap.get", PublishedTable.shortened("java.util.HashMap.get", "compiled"));
        assertEquals("write (libc.so.6)", PublishedTable.shortened("write (libc.so.6)", "native"));
        assertEquals("code of libjvm.so", PublishedTable.shortened("code of libjvm.so", "native"));
    }
}
