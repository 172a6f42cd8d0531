package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class RewriteCountTest {
    @Test
    void addsUp() {
        RewriteCount count = RewriteCount.of("--token 'a(b)'", 5, 2, 3);

        assertEquals(RewriteCount.of("--token 'a(b)'", 10, 4, 6), count.plus(count));
    }
}
