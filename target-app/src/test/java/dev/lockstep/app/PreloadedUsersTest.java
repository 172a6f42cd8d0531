package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PreloadedUsersTest {
    @Test
    void idIsTheIndexInTwelveHexadecimalDigits() {
        for (int index : new int[] {0, 1, 42, 9_999, 1_000_000, Integer.MAX_VALUE}) {
            UUID id = PreloadedUsers.id(index);
            assertEquals(String.format("00000000-0000-8000-8000-%012x", index), id.toString());
            assertEquals(8, id.version());
            assertEquals(2, id.variant());
        }
    }

    /** Captures are compared for years: these users may never change. */
    @Test
    void usersAreSealed() {
        assertUser(
                "{\"id\":\"00000000-0000-8000-8000-000000000000\",\"name\":\"Tony Lovelace\","
                        + "\"email\":\"Tony.Lovelace0@example.org\",\"city\":\"Quito\",\"age\":35}",
                0);
        assertUser(
                "{\"id\":\"00000000-0000-8000-8000-00000000002a\",\"name\":\"Edsger Liskov\","
                        + "\"email\":\"Edsger.Liskov42@example.org\",\"city\":\"Tokyo\",\"age\":35}",
                42);
    }

    @Test
    void usersFitTheBoundsOfTheStore() {
        for (int i = 0; i < 10_000; i++) {
            User user = PreloadedUsers.user(i);
            assertEquals(user.id, PreloadedUsers.id(i));
            assertTrue(user.name.length() <= User.MAX_NAME_CHARS);
            assertTrue(user.email.length() <= User.MAX_EMAIL_CHARS);
            assertTrue(user.city.length() <= User.MAX_CITY_CHARS);
            assertTrue(user.age >= 18 && user.age <= User.MAX_AGE);
        }
    }

    private static void assertUser(String json, int index) {
        assertEquals(json, new String(UserJson.write(PreloadedUsers.user(index)), StandardCharsets.UTF_8));
    }
}
