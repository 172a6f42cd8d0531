package dev.lockstep.search;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * What somebody wants of a search that goes on: files of these names in its folder {@code control}, which anybody may
 * make. Thread-safe.
 */
public final class Control {
    /** What can be wanted. */
    public enum Wish {
        /** Begin no further evaluation until told to resume. */
        PAUSE,
        /** Go on. */
        RESUME,
        /** Give the evaluation in progress up, for good. */
        SKIP,
        /** End after the evaluation in progress. */
        CONCLUDE;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the wish of a word; absent where it is none. */
        public static Optional<Wish> of(String label) {
            return Arrays.stream(values())
                    .filter(wish -> wish.label().equals(label))
                    .findFirst();
        }

        /** Returns all words, for people. */
        public static String labels() {
            return Arrays.stream(values()).map(Wish::label).collect(Collectors.joining(", "));
        }
    }

    /** What the name of a file begins with that says that a wish is refused. */
    private static final String REFUSED = "no-";

    private final Path folder;
    private final BooleanSupplier interrupted;

    private Control(Path folder, BooleanSupplier interrupted) {
        this.folder = folder;
        this.interrupted = interrupted;
    }

    /** @param interrupted whether the search is to end at once, to go on another time */
    public static Control of(Path directory, BooleanSupplier interrupted) {
        return new Control(directory.resolve("control"), interrupted);
    }

    /** Forgets what was wanted of an earlier search, and what that refused. */
    void clear() {
        for (Wish wish : Wish.values()) {
            take(wish);
            delete(REFUSED + wish.label());
        }
    }

    /** Refuses wishes that its verification does not heed, until another search begins here. */
    public void refuse(Wish... wishes) {
        try {
            OwnerOnly.makeFolder(folder);
            for (Wish wish : wishes) {
                OwnerOnly.makeFile(folder.resolve(REFUSED + wish.label()));
            }
        } catch (IOException e) {
            // Nor can anybody wish there.
        }
    }

    /**
     * Says what is wanted.
     *
     * @throws SearchException where it is refused, or cannot be said
     */
    public void wish(Wish wish) {
        if (Files.exists(folder.resolve(REFUSED + wish.label()))) {
            throw new SearchException(folder + ": cannot " + wish.label()
                    + ": the search itself has ended, and its verification does not heed that");
        }
        try {
            if (wish == Wish.RESUME) {
                take(Wish.PAUSE);
                return;
            }
            OwnerOnly.makeFolder(folder);
            OwnerOnly.makeFile(folder.resolve(wish.label()));
        } catch (IOException e) {
            throw new SearchException(folder + ": cannot be written: " + SearchException.reason(e));
        }
    }

    public boolean isInterrupted() {
        return interrupted.getAsBoolean();
    }

    public boolean isPaused() {
        return isWished(Wish.PAUSE);
    }

    boolean isConcluded() {
        return isWished(Wish.CONCLUDE);
    }

    /** Whether the evaluation in progress is to be given up. */
    public boolean givesUp() {
        return isInterrupted() || isWished(Wish.SKIP);
    }

    private boolean isWished(Wish wish) {
        return Files.exists(folder.resolve(wish.label()));
    }

    /** Takes a wish away; returns whether there was one. */
    boolean take(Wish wish) {
        return delete(wish.label());
    }

    private boolean delete(String name) {
        try {
            return Files.deleteIfExists(folder.resolve(name));
        } catch (IOException e) {
            throw new SearchException(folder + ": cannot be written: " + SearchException.reason(e));
        }
    }
}
