package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

final class RewriteCountTest {
    @Test
    void comesBackFromJsonAndAddsUp() {
        RewriteCount count = new RewriteCount("--token 'a(b)'", 5, 2, 3);

        RewriteCount read = RewriteCount.fromJson(
                JsonFields.parse("test", count.plus(count).toJson().toString()));

        assertEquals("--token 'a(b)'", read.rule());
        assertEquals(10, read.requests());
        assertEquals(4, read.answers());
        assertEquals(6, read.asRecorded());
        assertFalse(new RewriteCount("--rewrite-host", 5, 0, 0).toJson().has("asRecorded"));
    }
}
