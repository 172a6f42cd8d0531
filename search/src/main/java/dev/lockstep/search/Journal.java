package dev.lockstep.search;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Space;
import dev.lockstep.tuner.Trial;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * All that a search asked and was told: {@code journal.jsonl}, a JSON object a line, which only grows. A line is on the
 * disk before anything follows from it, so that a search goes on where it was killed. The line that a kill tore is
 * dropped. docs/tuning.md describes the lines. Used by one thread, which closes it; it is locked meanwhile.
 */
public final class Journal implements AutoCloseable {
    /** The file's name in the folder of the search. */
    public static final String NAME = "journal.jsonl";

    /** The field of an evaluation that was ended early. */
    static final String STOPPED_EARLY = "stoppedEarly";

    private static final int VERSION = 1;

    private final Path file;
    private final LineFile lines;
    private final Space space;
    private final Map<Integer, Trial> asked = new LinkedHashMap<>();
    private final List<Told> told = new ArrayList<>();
    /** How many trials there are to be without those that were added; that of the plan where absent. */
    private OptionalInt fixed = OptionalInt.empty();

    private int added;
    /** That it was replaced since it could not be read; null where it was not. */
    private String note;

    /** Since when its time counts, ms since 1970; absent where it has no time budget. */
    private OptionalLong began = OptionalLong.empty();

    /** Why it ended before all trials were done; null as long as it did not. */
    private String ended;

    /** What the last verification found, of each role. */
    private final Map<String, Verification> verified = new LinkedHashMap<>();

    /** What was evaluated afresh to verify a configuration, in the order of that. */
    private final Map<Configuration, List<Observation>> afresh = new HashMap<>();

    /** Whether the result of all that was asked for was shown. */
    private boolean closed;

    private Journal(LineFile lines, Space space) {
        this.lines = lines;
        file = lines.file();
        this.space = space;
    }

    /**
     * Opens the journal of a search, and begins it where there is none.
     *
     * @param directory of the search, made where there is none
     * @param plan what is searched
     * @param how what evaluates and what chooses: searches that differ in it are not the same
     * @param force whether a finished search, one of something else, or what cannot be read is replaced; of the last a
     *     copy is kept beside it
     * @throws OtherSearchException where the journal is another search's
     * @throws SearchException where it cannot be read, or is in use
     */
    public static Journal open(Path directory, SearchPlan plan, Map<String, String> how, boolean force) {
        LineFile lines = LineFile.open(directory.resolve(NAME));
        Journal journal = new Journal(lines, plan.space());
        ObjectNode heading = heading(plan, how);
        try {
            // What was wished of an earlier search; from now on wishes are for this one.
            Control.of(directory, () -> false).clear();
            if (!journal.isKept(heading, plan.evaluations(), force)) {
                lines.clear();
                lines.append(heading);
            }
            return journal;
        } catch (RuntimeException | Error e) {
            journal.close();
            throw e;
        }
    }

    /** Whether a search writes the journal of a folder now. */
    public static boolean isWritten(Path directory) {
        Path file = directory.resolve(NAME);
        if (!Files.exists(file)) {
            throw new SearchException(directory + ": expected the directory of a search, found no " + NAME);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            return channel.tryLock() == null;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (IOException e) {
            throw new SearchException(file + ": cannot be opened: " + SearchException.reason(e));
        }
    }

    static ObjectNode heading(SearchPlan plan, Map<String, String> how) {
        ObjectNode what = plan.document();
        how.forEach(what::put);
        return JsonLines.object()
                .put("version", VERSION)
                .put("digest", digest(JsonLines.print(what)))
                .set("search", what);
    }

    /** Returns the SHA-256 of a text in UTF-8, as a journal has it: 64 hexadecimal digits. */
    public static String digest(String what) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(what.getBytes(StandardCharsets.UTF_8));
            return String.format("%064x", new BigInteger(1, digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    // ---- reading ------------------------------------------------------------------------------------------------

    /** As {@link #read}; where forced, what cannot be read is not kept. */
    private boolean isKept(ObjectNode heading, int evaluations, boolean force) {
        try {
            return read(heading, evaluations, force);
        } catch (LineFile.UnreadableException e) {
            note = lines.setAside(e, force);
            reset();
            return false;
        }
    }

    private void reset() {
        asked.clear();
        told.clear();
        fixed = OptionalInt.empty();
        added = 0;
        began = OptionalLong.empty();
        ended = null;
        verified.clear();
        afresh.clear();
        closed = false;
    }

    /** Returns whether the file holds this search, which goes on. */
    private boolean read(ObjectNode heading, int evaluations, boolean force) {
        List<String> all = lines.read();
        if (all.isEmpty()) {
            return false;
        }
        lines.take(all, 0, Journal::requireKnown);
        ObjectNode found = lines.line(all, 0);
        if (!found.path("digest").asText().equals(heading.path("digest").asText())) {
            if (force || all.size() == 1) {
                // One that asked for nothing holds nothing, as where no configuration kept the rules of its space.
                return false;
            }
            throw new OtherSearchException(file + ": expected the journal of this search, found that of another ("
                    + difference(found, heading) + "); --force replaces it, -o DIR begins beside it");
        }
        for (int i = 1; i < all.size(); i++) {
            lines.take(all, i, this::take);
        }
        if (force && isFinished(evaluations)) {
            reset();
            return false;
        }
        return true;
    }

    /** @throws IllegalArgumentException for a heading that a later version wrote, whose lines nobody here knows */
    static void requireKnown(ObjectNode heading) {
        int version = heading.path("version").asInt(VERSION);
        if (version > VERSION) {
            throw new IllegalArgumentException("expected a journal of version " + VERSION + " at most, found version "
                    + version + ", with which the newer Lockstep goes on that wrote it");
        }
    }

    /** Returns in what two searches differ, for people. */
    private static String difference(ObjectNode found, ObjectNode expected) {
        // Read back, since the same number may be another class before it was written.
        ObjectNode mine =
                (ObjectNode) JsonLines.parse(JsonLines.print(expected)).get("search");
        JsonNode other = found.path("search");
        Set<String> fields = new LinkedHashSet<>();
        mine.fieldNames().forEachRemaining(fields::add);
        other.fieldNames().forEachRemaining(fields::add);
        fields.removeIf(field -> mine.path(field).equals(other.path(field)));
        return fields.isEmpty() ? "of another version" : "they differ in " + String.join(", ", fields);
    }

    private void take(ObjectNode line) {
        if (line.path("asked").isObject()) {
            ObjectNode entry = (ObjectNode) line.get("asked");
            Trial trial = Trial.of(
                    JsonLines.trial(entry),
                    JsonLines.configuration(space, entry),
                    Trial.Origin.of(JsonLines.text(entry, "origin")));
            asked(trial);
        } else if (line.path("told").isObject()) {
            tell((ObjectNode) line.get("told"));
        } else if (line.path("added").isIntegralNumber()) {
            added(line.get("added").intValue());
        } else if (line.path("began").isIntegralNumber()) {
            began = OptionalLong.of(line.get("began").longValue());
        } else if (line.path("ended").isTextual()) {
            ended = line.get("ended").textValue();
        } else if (line.path("verified").isObject()) {
            keep(Verification.read(space, (ObjectNode) line.get("verified")));
        } else if (line.path("afresh").isObject()) {
            ObjectNode entry = (ObjectNode) line.get("afresh");
            afreshOf(JsonLines.configuration(space, entry)).add(JsonLines.observation(entry, space));
        } else if (line.path("closed").isIntegralNumber()) {
            closed = true;
        } else {
            throw new IllegalArgumentException(
                    "expected asked, told, added, began, ended, verified, afresh or closed, found "
                            + JsonLines.shown(JsonLines.print(line)));
        }
    }

    private void tell(ObjectNode entry) {
        Trial trial = asked.remove(JsonLines.trial(entry));
        if (trial == null) {
            throw new IllegalArgumentException(
                    "trial: expected one that was asked and not told, found " + entry.path("trial"));
        }
        Evaluation.Builder evaluation = Evaluation.builder(JsonLines.observation(entry, space))
                .stoppedEarly(entry.path(STOPPED_EARLY).asBoolean())
                .fingerprint(JsonLines.optionalText(entry, "fingerprint"));
        if (entry.hasNonNull("parameters")) {
            evaluation.inEffect(JsonLines.configuration(space, entry));
        }
        entry.path("notes").forEach(note -> evaluation.note(note.asText()));
        told.add(Told.of(trial, evaluation.build()));
    }

    // ---- what it holds ------------------------------------------------------------------------------------------

    /** The trials that were told, in the order of that. */
    public List<Told> told() {
        return List.copyOf(told);
    }

    /** The trials that were asked and not told: a kill came in between. */
    List<Trial> open() {
        return List.copyOf(asked.values());
    }

    /** How many evaluations there are to be in all, with those that were added to the plan's. */
    int evaluations(int planned) {
        return fixed.orElse(planned) + added;
    }

    /** As {@link #evaluations(int)}, with those that are to be added if it is finished. */
    int evaluations(int planned, int add) {
        int before = ended != null ? told.size() : evaluations(planned);
        return isFinished(planned) ? before + toAdd(planned, add) : evaluations(planned);
    }

    /** Returns by how many to raise the plan's, so that so many come: an earlier command may have asked for more. */
    int toAdd(int planned, int add) {
        return add + (ended != null ? 0 : Math.max(0, told.size() - evaluations(planned)));
    }

    /** Why the engine ended the search before all evaluations were done, and none were added since; else absent. */
    Optional<String> ended() {
        return Optional.ofNullable(ended);
    }

    /** Whether evaluations were added to a search that its engine had ended, which is not to end it again. */
    boolean isUrged() {
        return fixed.isPresent();
    }

    /** Whether nothing is left to be evaluated; what is open once all are done is only where more are added. */
    private boolean isComplete(int planned) {
        return told.size() >= evaluations(planned) || asked.isEmpty() && ended != null;
    }

    /** Whether nothing is left to be done: before that, the same command goes on, whatever it adds or forces. */
    boolean isFinished(int planned) {
        return closed && isComplete(planned);
    }

    /** That a torn line was dropped, or all that could not be read, for people; absent where nothing was. */
    public Optional<String> dropped() {
        return Optional.ofNullable(note).or(lines::dropped);
    }

    /** Returns what the last verification found, if it was of this configuration; absent where there was none. */
    public Optional<Verification> verified(Configuration configuration) {
        return verified(Optional.empty(), configuration);
    }

    /** As {@link #verified(Configuration)}, of the member of a front that has a role. */
    public Optional<Verification> verified(Optional<String> role, Configuration configuration) {
        return Optional.ofNullable(verified.get(role.orElse("")))
                .filter(found -> found.parameters().equals(Optional.of(configuration)));
    }

    /** Returns what was evaluated afresh to verify a configuration, of itself and of the default. */
    List<Observation> afresh(Configuration best) {
        return List.copyOf(afreshOf(best));
    }

    private List<Observation> afreshOf(Configuration best) {
        return afresh.computeIfAbsent(best, key -> new ArrayList<>());
    }

    // ---- writing ------------------------------------------------------------------------------------------------

    void ask(Trial trial) {
        ObjectNode entry = JsonLines.object().put("trial", trial.number());
        entry.put("origin", trial.origin().label());
        entry.set("parameters", JsonLines.values(trial.configuration().values()));
        lines.append(JsonLines.object("asked", entry));
        asked(trial);
    }

    private void asked(Trial trial) {
        asked.put(trial.number(), trial);
        closed = false;
    }

    void tell(Told one) {
        Evaluation evaluation = one.evaluation();
        ObjectNode entry = JsonLines.object().put("trial", one.number());
        evaluation
                .inEffect()
                .ifPresent(configuration -> entry.set("parameters", JsonLines.values(configuration.values())));
        JsonLines.put(entry, evaluation.observation());
        evaluation.fingerprint().ifPresent(text -> entry.put("fingerprint", text));
        if (evaluation.stoppedEarly()) {
            entry.put(STOPPED_EARLY, true);
        }
        if (!evaluation.notes().isEmpty()) {
            ArrayNode notes = entry.putArray("notes");
            evaluation.notes().forEach(notes::add);
        }
        lines.append(JsonLines.object("told", entry));
        asked.remove(one.number());
        told.add(one);
    }

    void add(int evaluations) {
        lines.append(JsonLines.object().put("added", evaluations));
        added(evaluations);
    }

    private void added(int evaluations) {
        if (ended != null) {
            fixed = OptionalInt.of(told.size());
            added = 0;
            ended = null;
        }
        added += evaluations;
        // They have the time anew.
        began = OptionalLong.empty();
        closed = false;
    }

    /**
     * Returns since when the time of this search counts, or of the evaluations that were added last, whatever kills
     * came in between.
     *
     * @param nowMs since 1970, which it is where it did not count yet
     */
    long began(long nowMs) {
        if (began.isEmpty()) {
            lines.append(JsonLines.object().put("began", nowMs));
            began = OptionalLong.of(nowMs);
        }
        return began.getAsLong();
    }

    /** Keeps why the engine ended it early. */
    void end(String why) {
        if (ended == null) {
            lines.append(JsonLines.object().put("ended", why));
            ended = why;
        }
    }

    /** Keeps what a verification found. */
    public void verify(Verification found) {
        lines.append(JsonLines.object("verified", found.document()));
        keep(found);
    }

    /**
     * Keeps what was evaluated afresh to verify a configuration.
     *
     * @param trial of that configuration, or of the default
     */
    void afresh(Configuration best, Trial trial, Observation found) {
        ObjectNode entry = JsonLines.object().put("trial", trial.number());
        entry.put("of", trial.origin() == Trial.Origin.DEFAULT ? "default" : "best");
        entry.set("parameters", JsonLines.values(best.values()));
        JsonLines.put(entry, found);
        lines.append(JsonLines.object("afresh", entry));
        afreshOf(best).add(found);
    }

    private void keep(Verification found) {
        verified.put(found.role().orElse(""), found);
    }

    /**
     * Keeps that the result of a search was shown, and verified where that was wanted, unless it has more to evaluate.
     * Until then a search is not finished.
     */
    public void finish(SearchResult shown) {
        if (!closed && isComplete(shown.plan().evaluations())) {
            lines.append(JsonLines.object().put("closed", told.size()));
            closed = true;
        }
    }

    @Override
    public void close() {
        lines.close();
    }
}
