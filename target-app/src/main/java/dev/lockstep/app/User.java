package dev.lockstep.app;

import java.util.UUID;

/**
 * One user. Immutable; any thread.
 *
 * <p>Everything but the name is optional: {@code email} and {@code city} may be null, {@code age} is {@link #NO_AGE}
 * when unknown. The lengths are bounded, so that the store's size in bytes is bounded by its count.
 */
final class User {
    static final int MAX_NAME_CHARS = 100;
    static final int MAX_EMAIL_CHARS = 200;
    static final int MAX_CITY_CHARS = 100;
    static final int MAX_AGE = 150;
    static final int NO_AGE = -1;

    final UUID id;
    final String name;
    final String email;
    final String city;
    final int age;

    User(UUID id, String name, String email, String city, int age) {
        this.id = id;
        this.name = name;
        this.email = email;
        this.city = city;
        this.age = age;
    }

    User withId(UUID newId) {
        return new User(newId, name, email, city, age);
    }
}
