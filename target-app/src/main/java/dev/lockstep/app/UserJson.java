package dev.lockstep.app;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.UUID;

/** The JSON form of a user. Stateless; any thread. */
final class UserJson {
    /** The id while the content of a new user is turned into its id. */
    private static final UUID NIL = new UUID(0, 0);

    private UserJson() {}

    /** A JSON object of id, name, email, city and age, without what is unknown. */
    static byte[] write(User user) {
        return Json.object(192, json -> {
            json.writeStringField("id", user.id.toString());
            writeContent(json, user);
        });
    }

    private static void writeContent(JsonGenerator json, User user) throws IOException {
        json.writeStringField("name", user.name);
        if (user.email != null) {
            json.writeStringField("email", user.email);
        }
        if (user.city != null) {
            json.writeStringField("city", user.city);
        }
        if (user.age != User.NO_AGE) {
            json.writeNumberField("age", user.age);
        }
    }

    /**
     * Reads a new user and derives its id from its content: the version 3 (name-based, RFC 9562) UUID of its canonical
     * JSON without the id. A counter would number users in the order in which event loops happen to meet them, so that
     * the same stream of requests would get other answers in every run; the content gives the same id every time.
     *
     * @throws RefusedRequestException if it is not a user
     */
    static User readNew(byte[] body) {
        User user = read(NIL, body);
        byte[] content = Json.object(160, json -> writeContent(json, user));
        return user.withId(UUID.nameUUIDFromBytes(content));
    }

    /**
     * Reads a user; unknown fields are skipped, an {@code id} in the text is one of them.
     *
     * @throws RefusedRequestException if the text is not JSON, not an object, or has a field out of bounds
     */
    static User read(UUID id, byte[] text) {
        try (JsonParser json = Json.FACTORY.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw refused("the body must be a JSON object, such as {\"name\":\"Ada\"}");
            }
            String name = null;
            String email = null;
            String city = null;
            int age = User.NO_AGE;
            for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
                json.nextToken();
                switch (field) {
                    case "name":
                        name = text(json, "name", User.MAX_NAME_CHARS);
                        break;
                    case "email":
                        email = text(json, "email", User.MAX_EMAIL_CHARS);
                        break;
                    case "city":
                        city = text(json, "city", User.MAX_CITY_CHARS);
                        break;
                    case "age":
                        age = age(json);
                        break;
                    default:
                        json.skipChildren();
                }
            }
            if (name == null || name.isEmpty()) {
                throw refused("name: must be a text of 1 to " + User.MAX_NAME_CHARS + " characters");
            }
            if (json.nextToken() != null) {
                throw refused("the body goes on after the JSON object");
            }
            return new User(id, name, email, city, age);
        } catch (JsonProcessingException | CharConversionException e) {
            // The latter is of what begins like UTF-32 and is none.
            // Not the library's text: it changes between versions, and answers are compared byte for byte.
            throw refused("the body is not valid JSON");
        } catch (IOException e) {
            throw new UncheckedIOException("reading from memory failed", e);
        }
    }

    /** Reads a user that {@link #write} wrote. */
    static User readStored(UUID id, byte[] text) {
        try {
            return read(id, text);
        } catch (RefusedRequestException e) {
            throw new TargetAppException("user " + id + " in the store is not readable: " + e.getMessage(), e);
        }
    }

    private static String text(JsonParser json, String field, int maxChars) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        String value = json.getText();
        if (json.currentToken() != JsonToken.VALUE_STRING || value.length() > maxChars) {
            throw refused(field + ": must be a text of at most " + maxChars + " characters");
        }
        // Escapes such as \ud800 may stand alone in JSON, but UTF-8 cannot express them.
        if (value.codePoints().anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
            throw refused(field + ": has half of a surrogate pair");
        }
        return value;
    }

    private static int age(JsonParser json) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return User.NO_AGE;
        }
        if (json.currentToken() == JsonToken.VALUE_NUMBER_INT
                && json.getNumberType() == JsonParser.NumberType.INT
                && json.getIntValue() >= 0
                && json.getIntValue() <= User.MAX_AGE) {
            return json.getIntValue();
        }
        throw refused("age: must be a whole number from 0 to " + User.MAX_AGE);
    }

    private static RefusedRequestException refused(String message) {
        return new RefusedRequestException(400, message);
    }
}
