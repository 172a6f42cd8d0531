package dev.lockstep.search;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Space;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What became of each capture that a watch took: {@code watch.jsonl}, a JSON object a line, which only grows, by some
 * hundred bytes a capture. docs/tuning.md describes the lines. Used by one thread, which closes it; it is locked
 * meanwhile.
 */
public final class WatchJournal implements AutoCloseable {
    /** The file's name in the folder of the watch. */
    public static final String NAME = "watch.jsonl";

    /** A capture that was taken and of which nothing has become yet. Immutable. */
    public static final class Taken {
        private final String name;
        private final String sha256;

        private Taken(String name, String sha256) {
            this.name = name;
            this.sha256 = sha256;
        }

        /** The name of its file. */
        public String name() {
            return name;
        }

        public String sha256() {
            return sha256;
        }
    }

    private final LineFile lines;
    private final Space space;
    private final Set<String> known = new HashSet<>();
    private Taken open;
    private Configuration best;
    private int bestSearch;
    private int searches;
    private boolean searching;
    private String note;

    private WatchJournal(LineFile lines, Space space) {
        this.lines = lines;
        this.space = space;
    }

    /**
     * Opens the journal of a watch, and begins it where there is none.
     *
     * @param directory of the watch, made where there is none
     * @param how what evaluates: watches that differ in it are not the same
     * @param force whether one of something else, or one that cannot be read, is replaced; of the last a copy is kept
     * @throws SearchException where it is another watch's, cannot be read, or is in use
     */
    public static WatchJournal open(Path directory, SearchPlan plan, Map<String, String> how, boolean force) {
        LineFile lines = LineFile.open(directory.resolve(NAME));
        WatchJournal journal = new WatchJournal(lines, plan.space());
        try {
            ObjectNode heading = Journal.heading(plan, how);
            if (!journal.isKept(heading, force)) {
                lines.clear();
                lines.append(heading);
            }
            return journal;
        } catch (RuntimeException | Error e) {
            journal.close();
            throw e;
        }
    }

    /** Returns whether the file holds this watch; where forced, no other is kept, and nothing that cannot be read. */
    private boolean isKept(ObjectNode heading, boolean force) {
        List<String> all = lines.read();
        if (all.isEmpty()) {
            return false;
        }
        try {
            lines.take(all, 0, Journal::requireKnown);
            ObjectNode found = lines.line(all, 0);
            if (!found.path("digest").asText().equals(heading.path("digest").asText())) {
                if (force) {
                    return false;
                }
                throw new SearchException(lines.file() + ": expected the journal of this watch, found that of another;"
                        + " --force replaces it, -o DIR begins beside it");
            }
            for (int i = 1; i < all.size(); i++) {
                lines.take(all, i, this::take);
            }
            return true;
        } catch (LineFile.UnreadableException e) {
            note = lines.setAside(e, force);
            known.clear();
            best = null;
            searches = 0;
            end();
            return false;
        }
    }

    private void take(ObjectNode line) {
        if (line.path("taken").isObject()) {
            ObjectNode entry = (ObjectNode) line.get("taken");
            open = new Taken(JsonLines.text(entry, "capture"), JsonLines.text(entry, "sha256"));
            known.add(open.sha256);
        } else if (line.path("searches").isIntegralNumber()) {
            searches = line.get("searches").intValue();
            searching = true;
        } else if (line.path("tuned").isObject()) {
            ObjectNode entry = (ObjectNode) line.get("tuned");
            best = entry.hasNonNull("parameters") ? JsonLines.configuration(space, entry) : null;
            bestSearch = searches;
            end();
        } else if (line.path("checked").isObject()) {
            JsonNode entry = line.get("checked");
            if (entry.path("holds").asBoolean() || entry.path("kept").asBoolean()) {
                end();
            }
        } else if (line.path("passed").isObject()) {
            String sha256 = JsonLines.text((ObjectNode) line.get("passed"), "sha256");
            known.add(sha256);
            if (open != null && open.sha256.equals(sha256)) {
                end();
            }
        } else {
            throw new IllegalArgumentException("expected taken, checked, searches, tuned or passed, found "
                    + JsonLines.shown(JsonLines.print(line)));
        }
    }

    private void end() {
        open = null;
        searching = false;
    }

    private void append(ObjectNode line) {
        lines.append(line);
        take(line);
    }

    /** What of the file was not kept, for people: a line that a kill tore, or all; absent where nothing was lost. */
    public Optional<String> note() {
        return Optional.ofNullable(note).or(lines::dropped);
    }

    /** Whether a capture of these bytes was taken, or passed over. */
    public boolean knows(String sha256) {
        return known.contains(sha256);
    }

    /** Returns the capture that was taken last and of which nothing has become yet. */
    public Optional<Taken> open() {
        return Optional.ofNullable(open);
    }

    /** Returns the configuration that was confirmed last; absent where none was, or the last search confirmed none. */
    public Optional<Configuration> best() {
        return Optional.ofNullable(best);
    }

    /** Returns the number of the search that the best is from; 0 for none. */
    public int bestSearch() {
        return best == null ? 0 : bestSearch;
    }

    /** Returns the number of the search that was begun last; 0 for none. */
    public int searches() {
        return searches;
    }

    /** Returns whether a search on the open capture has begun. */
    public boolean isSearching() {
        return searching;
    }

    public void taken(String capture, String sha256) {
        append(JsonLines.object("taken", entry(capture, sha256)));
    }

    /** @param why a capture is not looked at */
    public void passed(String capture, String sha256, String why) {
        append(JsonLines.object("passed", entry(capture, sha256).put("why", why)));
    }

    private static ObjectNode entry(String capture, String sha256) {
        return JsonLines.object().put("capture", capture).put("sha256", sha256);
    }

    /**
     * Keeps whether the best still holds on the open capture.
     *
     * @param kept whether it stays the best, so that this capture is done with
     */
    public void checked(Verification found, boolean kept) {
        append(JsonLines.object("checked", found.document().put("kept", kept)));
    }

    /**
     * Keeps that a search on the open capture begins.
     *
     * @param number of the search, above those before
     */
    public void search(int number) {
        if (number <= searches) {
            throw new IllegalArgumentException("search: must be above " + searches + ", is " + number);
        }
        append(JsonLines.object().put("searches", number));
    }

    /**
     * Keeps what a search came to.
     *
     * @param confirmed the best, where it was confirmed afresh
     */
    public void tuned(Optional<Configuration> confirmed, Optional<Verification> found) {
        ObjectNode entry = JsonLines.object();
        confirmed.ifPresent(one -> entry.set("parameters", JsonLines.values(one.values())));
        found.ifPresent(one -> entry.put("sentence", one.sentence()));
        append(JsonLines.object("tuned", entry));
    }

    @Override
    public void close() {
        lines.close();
    }
}
