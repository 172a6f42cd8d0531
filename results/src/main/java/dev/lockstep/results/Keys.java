package dev.lockstep.results;

import dev.lockstep.measurement.Rules;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The words by which the constants of an enum stand in files and on the command line. */
public final class Keys {
    private Keys() {}

    /** Returns the constant of a word; absent where it is none's. */
    public static <E> Optional<E> find(E[] constants, Function<E, String> key, String word) {
        return Arrays.stream(constants)
                .filter(constant -> key.apply(constant).equals(word))
                .findFirst();
    }

    /** Returns all words for people, such as "together or alternate". */
    public static <E> String all(E[] constants, Function<E, String> key) {
        List<String> keys = Arrays.stream(constants).map(key).collect(Collectors.toList());
        int last = keys.size() - 1;
        return last == 0 ? keys.get(0) : String.join(", ", keys.subList(0, last)) + " or " + keys.get(last);
    }

    /**
     * Returns the constant of a word.
     *
     * @throws IllegalArgumentException where it is none's, with all words
     */
    static <E> E parse(E[] constants, Function<E, String> key, String word) {
        return find(constants, key, word)
                .orElseThrow(() -> new IllegalArgumentException(
                        "expected " + all(constants, key) + ", found " + Rules.quote(word)));
    }
}
