package dev.lockstep.tweets;

import java.util.Locale;

/** The made-up people: user i has the id 1,000,000 + i. Stateless; any thread. */
final class Names {
    private static final long FIRST_ID = 1_000_000;

    private static final String[] GIVEN =
            "Ada Alan Barbara Claude Donald Edsger Frances Grace Hedy John Katherine Leslie Margaret Niklaus Radia Tony"
                    .split(" ");
    private static final String[] FAMILY =
            ("Allen Dijkstra Hamilton Hoare Hopper Johnson Knuth Lamarr Lamport Liskov Lovelace McCarthy Perlman "
                            + "Shannon Turing Wirth")
                    .split(" ");

    private Names() {}

    static long id(int index) {
        return FIRST_ID + index;
    }

    /** The index of the user of that id; of an id that belongs to none, a number that is no index. */
    static int index(long id) {
        long index = id - FIRST_ID;
        return index < 0 || index > Integer.MAX_VALUE ? -1 : (int) index;
    }

    static String name(int index) {
        return GIVEN[given(index)] + " " + FAMILY[(int) (mix(index) >>> 8 & 15)];
    }

    static String screenName(int index) {
        return GIVEN[given(index)].toLowerCase(Locale.ROOT) + index;
    }

    /** The index that a screen name ends with, or -1. */
    static int indexOf(String screenName) {
        int begin = screenName.length();
        while (begin > 0 && Character.isDigit(screenName.charAt(begin - 1))) {
            begin--;
        }
        String digits = screenName.substring(begin);
        return digits.isEmpty() || digits.length() > 9 ? -1 : Integer.parseInt(digits);
    }

    private static int given(int index) {
        return (int) (mix(index) & 15);
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
