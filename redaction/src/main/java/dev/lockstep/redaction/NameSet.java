package dev.lockstep.redaction;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Recognises names one byte at a time, as they come out of a cut stream: an automaton with one step a byte, however
 * many names there are. Case, {@code -} and {@code _} do not count, so that {@code api_key}, {@code Api-Key} and
 * {@code apiKey} are one name; {@code *} in a pattern stands for any bytes. In an exact name only case does not count.
 * Immutable; runs per byte.
 */
final class NameSet {
    /** The state of what cannot become a name any more. */
    static final int DEAD = 0;

    /** The state of a name of which nothing was read yet. */
    static final int START = 1;

    private static final int BYTES = 256;
    // What stands in no pattern but in exact names.
    private static final int UNDERSCORE = 0;
    private static final int DASH = 1;
    private static final int OTHER = 2;
    private static final int MAX_STATES = 8192;

    private final byte[] classes = new byte[BYTES];
    private final int classCount;
    private final short[] next;
    private final long[] bits;

    private NameSet(Builder builder) {
        int count = OTHER + 1;
        Arrays.fill(classes, (byte) OTHER);
        classes['-'] = DASH;
        classes['_'] = UNDERSCORE;
        for (String pattern : builder.patterns) {
            for (char c : pattern.toCharArray()) {
                if (c != '*' && classes[c] == OTHER) {
                    classes[c] = (byte) count;
                    classes[Character.toUpperCase(c)] = (byte) count;
                    count++;
                }
            }
        }
        classCount = count;

        // A state is the set of places, over all patterns, up to which the name may have been read.
        Map<BitSet, Integer> numbers = new HashMap<>();
        List<BitSet> states = new ArrayList<>();
        Deque<Integer> open = new ArrayDeque<>();
        numbers.put(new BitSet(), DEAD);
        states.add(new BitSet());
        BitSet first = new BitSet();
        for (int i = 0; i < builder.patterns.size(); i++) {
            first.set(builder.places.get(i));
        }
        first = builder.closed(first);
        if (!first.isEmpty()) {
            numbers.put(first, START);
        }
        states.add(first);
        open.add(START);
        List<short[]> rows = new ArrayList<>();
        rows.add(new short[classCount]);
        while (!open.isEmpty()) {
            int state = open.remove();
            short[] row = new short[classCount];
            for (int c = 0; c < classCount; c++) {
                BitSet reached = builder.step(states.get(state), c, classes);
                Integer number = numbers.get(reached);
                if (number == null) {
                    number = states.size();
                    if (number == MAX_STATES) {
                        throw new IllegalArgumentException(
                                "expected fewer patterns with '*': together they need more than " + MAX_STATES
                                        + " states");
                    }
                    numbers.put(reached, number);
                    states.add(reached);
                    open.add(number);
                }
                row[c] = (short) (int) number;
            }
            rows.add(row);
        }
        next = new short[rows.size() * classCount];
        bits = new long[rows.size()];
        for (int state = 0; state < rows.size(); state++) {
            System.arraycopy(rows.get(state), 0, next, state * classCount, classCount);
            bits[state] = builder.bits(states.get(state));
        }
    }

    static Builder builder() {
        return new Builder();
    }

    int next(int state, int b) {
        return next[state * classCount + classes[b & 0xff]];
    }

    /** Returns the bits of the names that end here, 0 for none. */
    long bits(int state) {
        return bits[state];
    }

    long bitsOf(byte[] name, int from, int to) {
        int state = START;
        for (int i = from; i < to; i++) {
            state = next(state, name[i]);
        }
        return bits[state];
    }

    static final class Builder {
        private final List<String> patterns = new ArrayList<>();
        private final List<Long> patternBits = new ArrayList<>();
        private final List<Integer> places = new ArrayList<>();
        private final BitSet exact = new BitSet();
        private int placeCount;
        private int[] patternOf = new int[0];

        /**
         * Adds a pattern of ASCII characters.
         *
         * @throws IllegalArgumentException if nothing is left of it without {@code -} and {@code _}, or it has other
         *     characters
         */
        Builder add(String pattern, long bits) {
            return addFolded(fold(pattern), bits);
        }

        /**
         * Adds a name of lower case in which {@code -} and {@code _} count, and that has these bits and no others,
         * whatever patterns it matches too.
         */
        Builder addExact(String name, long bits) {
            exact.set(patterns.size());
            return addFolded(name, bits);
        }

        private Builder addFolded(String folded, long bits) {
            patterns.add(folded);
            patternBits.add(bits);
            places.add(placeCount);
            placeCount += folded.length() + 1;
            return this;
        }

        NameSet build() {
            patternOf = new int[placeCount];
            for (int i = 0; i < patterns.size(); i++) {
                for (int j = 0; j <= patterns.get(i).length(); j++) {
                    patternOf[places.get(i) + j] = i;
                }
            }
            return new NameSet(this);
        }

        static String fold(String pattern) {
            String folded = pattern.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
            if (folded.isEmpty()) {
                throw new IllegalArgumentException("expected a name, found '" + pattern + "'");
            }
            for (char c : folded.toCharArray()) {
                if (c <= ' ' || c >= 0x7f) {
                    throw new IllegalArgumentException(
                            "expected a name of visible ASCII characters, found '" + pattern + "'");
                }
            }
            return folded;
        }

        private BitSet closed(BitSet set) {
            for (int place = set.nextSetBit(0); place >= 0; place = set.nextSetBit(place + 1)) {
                if (charAt(place) == '*') {
                    set.set(place + 1);
                }
            }
            return set;
        }

        private BitSet step(BitSet from, int c, byte[] classes) {
            BitSet reached = new BitSet();
            for (int place = from.nextSetBit(0); place >= 0; place = from.nextSetBit(place + 1)) {
                char expected = charAt(place);
                boolean ignored = (c == DASH || c == UNDERSCORE) && !exact.get(patternOf[place]);
                if (expected == '*' || ignored) {
                    reached.set(place);
                } else if (expected != 0 && classes[expected] == c) {
                    reached.set(place + 1);
                }
            }
            return closed(reached);
        }

        private long bits(BitSet set) {
            long found = 0;
            for (int place = set.nextSetBit(0); place >= 0; place = set.nextSetBit(place + 1)) {
                if (charAt(place) == 0) {
                    int pattern = patternOf[place];
                    if (exact.get(pattern)) {
                        return patternBits.get(pattern);
                    }
                    found |= patternBits.get(pattern);
                }
            }
            return found;
        }

        /** Returns the character that a place expects next, 0 at a pattern's end. */
        private char charAt(int place) {
            int pattern = patternOf[place];
            int index = place - places.get(pattern);
            return index == patterns.get(pattern).length()
                    ? 0
                    : patterns.get(pattern).charAt(index);
        }
    }
}
