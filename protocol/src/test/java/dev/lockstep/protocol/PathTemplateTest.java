package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class PathTemplateTest {
    @Test
    void foldsNumbersAndWhatMayBeASecretAlways() {
        String[][] paths = {
            {"", "", ""},
            {"/", "/", "/"},
            {"*", "*", "*"},
            {"/users/17", "/users/N", "/users/17"},
            {"/users/17/", "/users/N/", "/users/17/"},
            {"/users/123456789012345", "/users/N", "/users/123456789012345"},
            {"/cards/1234567890123456", "/cards/ID", "/cards/ID"},
            {"/api/v2/users/u17-a/5x6", "/api/v2/users/uN-a/NxN", "/api/v2/users/u17-a/5x6"},
            {"/v1.2/x/v123", "/v1.2/x/vN", "/v1.2/x/v123"},
            {"/img/p12.png", "/img/pN.png", "/img/p12.png"},
            {"/o/0b2f6a1e-7d52-4a3c-9a51-000000000001/x", "/o/ID/x", "/o/ID/x"},
            {"/reset/9f86d081884c7d65", "/reset/ID", "/reset/ID"},
            {"/reset/9F86D081", "/reset/ID", "/reset/ID"},
            {"/reset/tGzv3JOkF0XG5Qx2TlKWIA", "/reset/ID", "/reset/ID"},
            {"/added/decade", "/added/decade", "/added/decade"},
            {"/cart;jsessionid=1A530637289A03B07199A44E8D531427", "/cart", "/cart"},
            {"/cart;secret/items;other/7", "/cart/items/N", "/cart/items/7"},
            {"/a/1;x;y/b/2/c;z", "/a/N/b/N/c", "/a/1/b/2/c"},
            {"/a-very-long-word-without-digits", "/a-very-long-word-without-digits", "/a-very-long-word-without-digits"}
        };
        for (String[] path : paths) {
            assertEquals(path[1], PathTemplate.of(path[0]));
            assertEquals(path[2], PathTemplate.withNumbers(path[0]));
        }
        assertNull(PathTemplate.of(null));
    }

    /** The longest that a request may have: looked through for each segment, it took minutes. */
    @Test
    @Timeout(60)
    void foldsAPathOfAMegabyte() {
        assertEquals("/N".repeat(1 << 19), PathTemplate.of("/1".repeat(1 << 19)));
    }
}
