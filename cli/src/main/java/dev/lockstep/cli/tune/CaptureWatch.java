package dev.lockstep.cli.tune;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.results.Verdict;
import dev.lockstep.results.directory.FileTree;
import dev.lockstep.run.ExpectedFailure;
import dev.lockstep.search.OtherSearchException;
import dev.lockstep.search.SearchException;
import dev.lockstep.search.SpaceException;
import dev.lockstep.search.Verification;
import dev.lockstep.search.WatchJournal;
import dev.lockstep.tuner.Configuration;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Takes new captures of a folder as they come: looks whether the best configuration still holds on the newest, and
 * tunes again where it surely does not. What became of each is in a journal, so that it goes on after a kill. Used by
 * one thread.
 */
final class CaptureWatch {
    static final String SEARCHES = "searches";
    /** Beside that of the best. */
    private static final int SEARCHES_KEPT = 2;
    /** So often a capture is worked on that makes it fail. */
    private static final int TRIES = 2;

    /** What is done with captures. */
    interface Tuning {
        /**
         * Returns the digest of a capture, all of whose checksums are right.
         *
         * @throws CaptureException where it is none, or not finished
         */
        String sha256(Path capture);

        /** Compares a configuration with the default afresh; absent where that was interrupted. */
        Optional<Verification> check(Path capture, Configuration best);

        /**
         * Searches, beginning with the configuration that was the best, or goes on with such a search.
         *
         * @param directory of the search
         * @return absent where it was interrupted
         * @throws OtherSearchException where the directory has another search
         */
        Optional<Tuned> tune(Path capture, Optional<Configuration> best, Path directory);

        /** The best is another, or there is none any more. */
        void bestIs(Optional<Configuration> best);
    }

    /** What a search came to. Immutable. */
    static final class Tuned {
        final Optional<Configuration> confirmed;
        final Optional<Verification> verification;

        /** @param confirmed the best, where it was confirmed afresh */
        Tuned(Optional<Configuration> confirmed, Optional<Verification> verification) {
            this.confirmed = confirmed;
            this.verification = verification;
        }
    }

    /** How a file was when it was looked at: one that grows is another. */
    private static final class Look {
        final long bytes;
        final FileTime modified;

        Look(BasicFileAttributes attributes) {
            bytes = attributes.size();
            modified = attributes.lastModifiedTime();
        }

        boolean isSame(Look other) {
            return other != null && bytes == other.bytes && modified.equals(other.modified);
        }
    }

    private final Path folder;
    private final Path directory;
    private final WatchJournal journal;
    private final Tuning tuning;
    private final Consumer<String> notes;
    /** How each file was at the last look. */
    private final Map<Path, Look> looks = new HashMap<>();
    /** Those that need no further look as long as they stay as they are. */
    private final Map<Path, Look> settled = new HashMap<>();
    /** How often a capture failed, by its digest. */
    private final Map<String, Integer> failures = new HashMap<>();

    /**
     * @param folder with the captures
     * @param directory of the watch, with its journal and its searches
     * @param notes get sentences for people
     */
    CaptureWatch(Path folder, Path directory, WatchJournal journal, Tuning tuning, Consumer<String> notes) {
        this.folder = folder;
        this.directory = directory;
        this.journal = journal;
        this.tuning = tuning;
        this.notes = notes;
    }

    /**
     * Watches until it is to end.
     *
     * @param waits between two looks; returns false where it is to end
     */
    void run(BooleanSupplier waits) {
        journal.note().ifPresent(notes);
        tuning.bestIs(journal.best());
        removeOldSearches();
        notes.accept("watching " + folder + " for captures; " + best());
        boolean goesOn = true;
        while (goesOn) {
            goesOn = look() && waits.getAsBoolean();
        }
    }

    private String best() {
        return journal.best().isPresent()
                ? "the best so far is from " + search(journal.bestSearch())
                : "no configuration is confirmed yet";
    }

    private Path search(int number) {
        return directory.resolve(SEARCHES).resolve(String.format("%03d", number));
    }

    /** Takes what has come; returns whether to go on, which an interruption says not to. */
    boolean look() {
        List<Path> stable = stable();
        if (journal.open().isPresent()) {
            WatchJournal.Taken open = journal.open().get();
            Path capture = folder.resolve(open.name());
            if (!open.sha256().equals(digest(capture).orElse(""))) {
                journal.passed(open.name(), open.sha256(), "it is not there any more");
                notes.accept(capture + ": was taken and is not there any more, or is another; passed over");
            } else {
                return goOn(open, capture);
            }
        }
        // From the newest: what waited meanwhile says less of the traffic of today.
        Path newest = null;
        for (Path capture : stable) {
            Optional<String> digest = digest(capture);
            if (digest.isEmpty() || journal.knows(digest.get())) {
                settled.put(capture, looks.get(capture));
            } else if (newest == null) {
                newest = capture;
                journal.taken(capture.getFileName().toString(), digest.get());
            } else {
                String why = "a newer one was there: " + newest.getFileName();
                journal.passed(capture.getFileName().toString(), digest.get(), why);
                notes.accept(capture + ": passed over, " + why);
            }
        }
        return newest == null || goOn(journal.open().orElseThrow(), newest);
    }

    /** Returns the files that did not change since the last look and are not known, the newest first. */
    private List<Path> stable() {
        List<Path> stable = new ArrayList<>();
        Map<Path, Look> now = new HashMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                if (!file.getFileName().toString().startsWith(".")) {
                    look(file).ifPresent(look -> now.put(file, look));
                }
            }
        } catch (IOException e) {
            throw new CliException(folder + ": expected a folder with captures, found "
                    + (e instanceof NoSuchFileException
                            ? "none"
                            : e instanceof NotDirectoryException
                                    ? "a file"
                                    : "one that cannot be read: " + SearchException.reason(e)));
        }
        now.forEach((file, look) -> {
            if (look.isSame(looks.get(file)) && !look.isSame(settled.get(file))) {
                stable.add(file);
            }
        });
        looks.clear();
        looks.putAll(now);
        settled.keySet().retainAll(now.keySet());
        stable.sort(Comparator.comparing((Path file) -> now.get(file).modified)
                .reversed()
                .thenComparing(Comparator.naturalOrder()));
        return stable;
    }

    private static Optional<Look> look(Path file) {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.isRegularFile() ? Optional.of(new Look(attributes)) : Optional.empty();
        } catch (IOException e) {
            // Gone, between the listing and the look.
            return Optional.empty();
        }
    }

    /** Returns the digest of a capture; absent where it is none, or not finished. */
    private Optional<String> digest(Path capture) {
        try {
            return Optional.of(tuning.sha256(capture));
        } catch (CaptureException e) {
            notes.accept("not taken, until it changes: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Works on the open capture; one that makes it fail again and again is passed over, for others may do. */
    private boolean goOn(WatchJournal.Taken open, Path capture) {
        try {
            return checkOrTune(capture);
        } catch (RuntimeException e) {
            boolean isDueToIt =
                    ExpectedFailure.isExpected(e) && !(e instanceof UsageException) && !(e instanceof SpaceException);
            if (!isDueToIt || journal.open().isEmpty()) {
                // What came after it was done is not due to it, nor is what was asked for, nor a defect of ours.
                throw e;
            }
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            if (failures.merge(open.sha256(), 1, Integer::sum) < TRIES) {
                notes.accept(capture + ": failed, and is tried once more: " + why);
            } else {
                journal.passed(open.name(), open.sha256(), "it failed " + TRIES + " times: " + why);
                notes.accept(capture + ": passed over, it failed " + TRIES + " times: " + why);
            }
            return true;
        }
    }

    /** Looks whether the best holds on the open capture, unless a search on it has begun, and tunes where not. */
    private boolean checkOrTune(Path capture) {
        Optional<Configuration> best = journal.best();
        if (best.isPresent() && !journal.isSearching()) {
            notes.accept(capture + ": does the best still hold?");
            Optional<Verification> found = tuning.check(capture, best.get());
            if (found.isEmpty()) {
                return false;
            }
            boolean kept = !isRefuted(found.get());
            journal.checked(found.get(), kept);
            notes.accept(capture + ": " + found.get().sentence()
                    + (kept && !found.get().holds() ? "; kept, the next capture may tell" : ""));
            if (kept) {
                return true;
            }
        }
        Optional<Tuned> tuned = tune(capture, best);
        if (tuned.isEmpty()) {
            return false;
        }
        journal.tuned(tuned.get().confirmed, tuned.get().verification);
        tuning.bestIs(journal.best());
        removeOldSearches();
        notes.accept("watching " + folder + " again; " + best());
        return true;
    }

    /** Whether the best is surely no better than the default any more: what cannot be told is no reason to search. */
    private static boolean isRefuted(Verification check) {
        return !check.violated().isEmpty()
                || check.finding().equals(Verdict.Finding.WORSE.key())
                || check.finding().equals(Verdict.Finding.EQUIVALENT.key());
    }

    private Optional<Tuned> tune(Path capture, Optional<Configuration> best) {
        boolean goesOn = journal.isSearching();
        Path search = search(goesOn ? journal.searches() : begin());
        notes.accept(capture + ": tuning, in " + search);
        try {
            return tuning.tune(capture, best, search);
        } catch (OtherSearchException e) {
            if (!goesOn) {
                throw e;
            }
            // The machine, the JVM or Lockstep is another since it began.
            Path anew = search(begin());
            notes.accept(e.getMessage().replaceFirst("; --force .*", "") + "; tuning anew, in " + anew);
            return tuning.tune(capture, best, anew);
        }
    }

    /** Begins a search with the next number whose directory is not there: a watch that was replaced left some. */
    private int begin() {
        int number = journal.searches() + 1;
        while (Files.exists(search(number), LinkOption.NOFOLLOW_LINKS)) {
            number++;
        }
        journal.search(number);
        return number;
    }

    /** Their run directories are large: those of the newest searches are kept, and of the one that the best is from. */
    private void removeOldSearches() {
        for (int number = 1; number <= journal.searches() - SEARCHES_KEPT; number++) {
            Path old = search(number);
            if (number != journal.bestSearch() && Files.isDirectory(old, LinkOption.NOFOLLOW_LINKS)) {
                try {
                    FileTree.remove(old);
                } catch (IOException e) {
                    notes.accept(old + ": cannot be removed: " + SearchException.reason(e));
                }
            }
        }
    }
}
