package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class UserJsonTest {
    private static final UUID ID = PreloadedUsers.id(7);

    @Test
    void equalContentHasTheSameIdHoweverItIsSpelt() {
        User plain = readNew("{\"name\":\"Ada\",\"age\":36}");
        User spelt = readNew(
                " { \"age\" : 36 , \"x\" : [ {\"y\":null} , 1.5e3 ], \"name\" : \"\\u0041da\" , \"city\":null}\n");
        assertEquals(plain.id, spelt.id);
        assertEquals(3, plain.id.version());
        assertNotEquals(plain.id, readNew("{\"name\":\"Ada\",\"age\":37}").id);
        assertNotEquals(plain.id, readNew("{\"name\":\"Ada\"}").id);
    }

    /** Clients remember ids of users that they created: the rule may never change. */
    @Test
    void idsOfNewUsersAreSealed() {
        assertEquals(
                "1f494d23-2279-36b5-b0bb-5a22ac9f370d",
                readNew("{\"name\":\"Ada\"}").id.toString());
    }

    @Test
    void readsBackWhatItWrites() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            User user = new User(
                    ID,
                    randomText(random, 1, User.MAX_NAME_CHARS),
                    random.nextBoolean() ? null : randomText(random, 0, User.MAX_EMAIL_CHARS),
                    random.nextBoolean() ? null : randomText(random, 0, User.MAX_CITY_CHARS),
                    random.nextInt(User.MAX_AGE + 2) - 1);
            byte[] text = UserJson.write(user);
            User read = UserJson.read(ID, text);
            String message = "seed " + seed + ", round " + i;
            assertEquals(user.name, read.name, message);
            assertEquals(user.email, read.email, message);
            assertEquals(user.city, read.city, message);
            assertEquals(user.age, read.age, message);
            assertEquals(
                    new String(text, StandardCharsets.UTF_8),
                    new String(UserJson.write(read), StandardCharsets.UTF_8),
                    message);
        }
    }

    private static String randomText(Random random, int minChars, int maxChars) {
        int length = minChars + random.nextInt(maxChars - minChars + 1);
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            int codePoint = random.nextInt(random.nextBoolean() ? 0x80 : Character.MAX_CODE_POINT + 1);
            boolean surrogate = codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
            if (!surrogate && text.length() + Character.charCount(codePoint) <= length) {
                text.appendCodePoint(codePoint);
            }
        }
        return text.toString();
    }

    @Test
    void refusesWhatIsNotAUser() {
        String object = "the body must be a JSON object, such as {\"name\":\"Ada\"}";
        String name = "name: must be a text of 1 to 100 characters";
        String age = "age: must be a whole number from 0 to 150";
        assertRefused(object, "");
        assertRefused(object, "[]");
        assertRefused(object, "\"name\"");
        assertRefused(name, "{}");
        assertRefused(name, "{\"name\":\"\"}");
        assertRefused(name, "{\"name\":null}");
        assertRefused("name: must be a text of at most 100 characters", "{\"name\":7}");
        assertRefused("name: must be a text of at most 100 characters", "{\"name\":\"" + "x".repeat(101) + "\"}");
        assertRefused("email: must be a text of at most 200 characters", "{\"name\":\"A\",\"email\":{}}");
        assertRefused(
                "city: must be a text of at most 100 characters",
                "{\"name\":\"A\",\"city\":\"" + "x".repeat(101) + "\"}");
        assertRefused("name: has half of a surrogate pair", "{\"name\":\"a\\ud83d\"}");
        assertRefused("name: has half of a surrogate pair", "{\"name\":\"\\ude00a\"}");
        assertRefused(age, "{\"name\":\"A\",\"age\":-1}");
        assertRefused(age, "{\"name\":\"A\",\"age\":151}");
        assertRefused(age, "{\"name\":\"A\",\"age\":99999999999999999999999}");
        assertRefused(age, "{\"name\":\"A\",\"age\":36.0}");
        assertRefused(age, "{\"name\":\"A\",\"age\":\"36\"}");
        assertRefused("the body goes on after the JSON object", "{\"name\":\"A\"}{}");
        assertRefused("the body is not valid JSON", "{\"name\":\"A\"");
        assertRefused("the body is not valid JSON", "{\"name\":A\"}");
        assertRefused("the body is not valid JSON", "{\"name\":\"A\",\"name\":\"B\"}");
        assertRefused("the body is not valid JSON", "{\"name\":\"A\"}x");
        assertRefused("the body is not valid JSON", "{\"x\":" + "[".repeat(100) + "]".repeat(100) + "}");
    }

    @Test
    void refusesBytesThatAreNotUtf8() {
        byte[] body = "{\"name\":\"A?\"}".getBytes(StandardCharsets.US_ASCII);
        body[10] = (byte) 0xff;
        RefusedRequestException refusal = assertThrows(RefusedRequestException.class, () -> UserJson.read(ID, body));
        assertEquals(400, refusal.status);
    }

    /** Zeros at the beginning make them UTF-32 of some order of bytes, or what looks like it. */
    @Test
    void refusesBytesThatAreNoUtf32Either() {
        for (byte[] body : new byte[][] {{0, 0, '{', 0}, {0, '{', 0, 0}, {0, 0, 0, '{', 0x7f, 0, 0, 0}}) {
            RefusedRequestException refusal =
                    assertThrows(RefusedRequestException.class, () -> UserJson.read(ID, body));
            assertEquals(400, refusal.status);
        }
    }

    private static User readNew(String text) {
        return UserJson.readNew(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertRefused(String message, String body) {
        RefusedRequestException refusal = assertThrows(RefusedRequestException.class, () -> readNew(body), body);
        assertEquals(400, refusal.status);
        assertEquals(message, refusal.getMessage(), body);
    }
}
