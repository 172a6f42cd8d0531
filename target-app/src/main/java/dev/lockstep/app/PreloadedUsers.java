package dev.lockstep.app;

import java.util.UUID;

/**
 * The users that every store holds at the start. User {@code i} is the same in every process and on every JVM, so that
 * captured reads find what they found when they were recorded. Stateless; any thread.
 *
 * <p>The id of user {@code i} is the UUID {@code 00000000-0000-8000-8000-} followed by {@code i} in twelve hexadecimal
 * digits: version 8 ("custom") of RFC 9562. A client in any language makes it without asking, a shell with
 * {@code printf '00000000-0000-8000-8000-%012x' 42}. Ids of created users have version 3, so that the two kinds never
 * meet.
 */
final class PreloadedUsers {
    private static final long ID_HIGH = 0x0000_0000_0000_8000L;
    private static final long ID_LOW = 0x8000_0000_0000_0000L;
    private static final String[] GIVEN_NAMES =
            ("Ada Alan Barbara Claude Donald Edsger Frances Grace Hedy John Katherine Leslie Margaret "
                            + "Niklaus Radia Tony")
                    .split(" ");
    private static final String[] FAMILY_NAMES =
            ("Allen Dijkstra Hamilton Hoare Hopper Johnson Knuth Lamarr Lamport Liskov Lovelace McCarthy "
                            + "Perlman Shannon Turing Wirth")
                    .split(" ");
    private static final String[] CITIES = {"Berlin", "Lagos", "Lima", "Oslo", "Pune", "Quito", "Tokyo", "Zürich"};

    private PreloadedUsers() {}

    static UUID id(int index) {
        return new UUID(ID_HIGH, ID_LOW | index);
    }

    /** The user before any request changes it. */
    static User user(int index) {
        long random = mix(index);
        String given = GIVEN_NAMES[(int) (random & 15)];
        String family = FAMILY_NAMES[(int) (random >>> 4 & 15)];
        return new User(
                id(index),
                given + " " + family,
                given + "." + family + index + "@example.org",
                CITIES[(int) (random >>> 8 & 7)],
                18 + (int) ((random >>> 16 & 0xffff) % 70));
    }

    /**
     * Spreads the bits of a number over all 64: the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable
     * pseudorandom number generators", OOPSLA 2014) after one step of its generator.
     */
    static long mix(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
