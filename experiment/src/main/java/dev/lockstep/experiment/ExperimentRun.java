package dev.lockstep.experiment;

import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.directory.FileTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Carries out an experiment, part by part, and gives its result. A part that came to its end is not carried out again,
 * so that the same call goes on where it was killed; one that failed, was skipped or is INVALID is tried again. Used by
 * one thread.
 */
public final class ExperimentRun {
    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int INVALID = 3;
    private static final String TARGETS_FILE = "targets.yaml";

    private final Definition definition;
    private final Size size;
    private final Path directory;
    private final PartRunner runner;
    private final ExperimentListener listener;
    private final State state;
    private final Inputs inputs;
    /** The names of the parts that are to be carried out. */
    private final Set<String> asked;

    private final RunFigures runs;
    /** The least values that held, by their parts; without those of which none did. */
    private final Map<String, String> least = new LinkedHashMap<>();
    /** Why there is no least value, a sentence, by parts: none holds, or not all were tried. */
    private final Map<String, String> whyNoLeast = new LinkedHashMap<>();

    private ExperimentRun(
            Definition definition,
            Size size,
            Path directory,
            PartRunner runner,
            ExperimentListener listener,
            Inputs inputs,
            State state,
            Set<String> asked) {
        this.asked = asked;
        this.definition = definition;
        this.size = size;
        this.directory = directory;
        this.runner = runner;
        this.listener = listener;
        this.inputs = inputs;
        this.state = state;
        runs = new RunFigures(directory);
    }

    /**
     * @param directory of this size of the experiment, with what was done before
     * @param asked the names of the parts that are carried out; others have their figures where they were done before
     * @throws ExperimentException where the directory cannot be used
     */
    public static ExperimentResult run(
            Definition definition,
            Size size,
            Path directory,
            PartRunner runner,
            ExperimentListener listener,
            Set<String> asked) {
        Map<String, List<String>> known = places(definition, directory, runner);
        Scope places = new Scope(definition.name(), known, Map.of());
        Inputs inputs = new Inputs(definition.folder().resolve(TARGETS_FILE), places);
        try (State state = State.open(directory, definition.name(), size, inputs)) {
            return new ExperimentRun(definition, size, directory, runner, listener, inputs, state, asked).run(places);
        }
    }

    private ExperimentResult run(Scope places) {
        List<Part> parts = definition.parts(size).stream()
                .filter(part -> asked.contains(part.name()))
                .collect(Collectors.toList());
        for (Part part : parts) {
            int number = parts.indexOf(part) + 1;
            if (runner.isInterrupted()) {
                break;
            }
            if (part.tried().isEmpty()) {
                carryOut(part, number, parts.size());
            } else {
                findLeast(part, one -> carriedOut(one, number, parts.size()));
            }
        }
        // What was found before, of parts that were not asked for or not come to.
        definition.parts(size).stream()
                .filter(part -> !part.tried().isEmpty()
                        && !least.containsKey(part.name())
                        && !whyNoLeast.containsKey(part.name()))
                .forEach(part -> findLeast(part, this::isEnded));
        return new ResultMaker(
                        definition,
                        size,
                        directory,
                        places,
                        state,
                        runs,
                        least,
                        whyNoLeast,
                        asked,
                        runner.isInterrupted())
                .result();
    }

    private void carryOut(Part part, int number, int of) {
        listener.begins(part.name(), number, of);
        if (isEnded(part)) {
            listener.ended(part.name(), "done before");
            return;
        }
        forgetEarlier(part);
        Optional<String> whyNot = missing(part).or(() -> runner.whyNot(part, definition.services(part)));
        if (whyNot.isPresent()) {
            state.ended(part, State.End.SKIPPED, whyNot.get(), 0);
            listener.ended(part.name(), "skipped: " + whyNot.get());
            return;
        }
        long began = System.nanoTime();
        PartRunner.Outcome outcome;
        Optional<String> lost;
        try {
            state.begins(part);
            outcome = attempt(part);
        } finally {
            lost = runner.stop();
        }
        // A search that is finished all the same would begin anew.
        if (runner.isInterrupted() && !(part.isSearch() && outcome.exitCode() == DONE)) {
            listener.ended(part.name(), "interrupted");
            return;
        }
        if (lost.isPresent() && !runner.isInterrupted()) {
            // What was measured without it is no result. At Ctrl-C a terminal ends services, too.
            delete(resultFile(part));
            outcome = new PartRunner.Outcome(FAILED, lost.get());
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
        ended(part, outcome, seconds);
    }

    private void ended(Part part, PartRunner.Outcome outcome, long seconds) {
        State.End end = end(part, outcome);
        String why;
        String told;
        switch (end) {
            case DONE:
                why = "";
                told = "done";
                break;
            case INVALID:
                why = whyInvalid(part).orElse("exit code " + outcome.exitCode());
                told = "INVALID: " + why + "; the same command carries it out again";
                break;
            default:
                why = !outcome.message().isEmpty()
                        ? outcome.message()
                        : outcome.exitCode() == DONE
                                ? "it left no run.json, so it was no run; other commands go behind exec"
                                : "exit code " + outcome.exitCode();
                told = (end == State.End.NOT_READY ? "does not hold: " : "failed: ") + why;
                break;
        }
        state.ended(part, end, why, seconds);
        listener.ended(part.name(), told + " (" + seconds + " s)");
    }

    private PartRunner.Outcome attempt(Part part) {
        Map<String, String> addresses;
        try {
            addresses = runner.start(definition.services(part), directory);
        } catch (ExperimentException e) {
            return new PartRunner.Outcome(FAILED, e.getMessage());
        }
        List<String> words = words(part, addresses);
        return part.isProgram()
                ? runner.execute(words.subList(1, words.size()), log(part))
                : runner.run(words, log(part));
    }

    /** A run whose result is gone is made again. */
    private boolean isEnded(Part part) {
        State.End end = state.of(part).map(ended -> ended.end).orElse(State.End.BEGUN);
        return end == State.End.NOT_READY
                || end == State.End.DONE && (part.isSearch() || part.isProgram() || Files.exists(resultFile(part)));
    }

    private Optional<String> whyInvalid(Part part) {
        try {
            Optional<String> why = runs.whyInvalid(part.runDirectory()).stream().findFirst();
            // Also what others did to a search's verification, or to a target that failed in a try.
            if (why.isEmpty() && part.isSearch()) {
                return runs.whySpoiled(part.runDirectory());
            }
            return why.isEmpty() && part.isTry() ? runs.whyStarved(part.runDirectory()) : why;
        } catch (MeasurementException e) {
            return Optional.of(e.getMessage());
        }
    }

    /**
     * What an earlier attempt left is no result of this one. A search goes on with its own files, but makes an INVALID
     * verification again; of another search, as of other parameters or on another capture, nothing is left.
     */
    private void forgetEarlier(Part part) {
        if (!part.isSearch()) {
            // What it printed stands on the page, too.
            delete(printed(part, ".txt"));
            delete(printed(part, ".log"));
        }
        if (!part.isSearch() && !part.isProgram()) {
            delete(resultFile(part));
        } else if (part.isSearch() && !state.wasBegun(part)) {
            delete(directory.resolve(part.name()));
        } else if (state.of(part)
                .filter(ended -> ended.end == State.End.INVALID)
                .isPresent()) {
            delete(directory.resolve(part.runDirectory()));
        }
        runs.forget(part.name());
    }

    private static void delete(Path old) {
        try {
            FileTree.remove(old);
        } catch (IOException e) {
            throw new ExperimentException(old + ": cannot be deleted: " + MeasurementException.reason(e));
        }
    }

    private Path printed(Part part, String ending) {
        return directory.resolve(part.name() + ending);
    }

    private Path resultFile(Part part) {
        return directory.resolve(part.name()).resolve("run.json");
    }

    private State.End end(Part part, PartRunner.Outcome outcome) {
        if (part.isTry() && outcome.isLate()) {
            return State.End.NOT_READY;
        }
        if (part.isSearch() && outcome.exitCode() == INVALID) {
            return State.End.INVALID;
        }
        if (part.isSearch() || part.isProgram()) {
            return outcome.exitCode() == DONE ? State.End.DONE : State.End.FAILED;
        }
        // A condition that does not hold, or a target that never got ready beside others, still leaves a result.
        if (!Files.exists(resultFile(part))) {
            return State.End.FAILED;
        }
        return whyInvalid(part).isPresent() ? State.End.INVALID : State.End.DONE;
    }

    /** Returns which file a part lacks, for people. */
    private Optional<String> missing(Part part) {
        return inputs.missing(part)
                .map(file ->
                        file + " is missing; in a source tree mvn -DskipTests package builds it, an installation is"
                                + " not whole");
    }

    /** Returns what is known before services run. */
    private static Map<String, List<String>> places(Definition definition, Path directory, PartRunner runner) {
        Map<String, List<String>> places = new HashMap<>();
        runner.places().forEach((name, value) -> places.put(name, List.of(value)));
        places.put("folder", List.of(definition.folder().toAbsolutePath().toString()));
        places.put("directory", List.of(directory.toAbsolutePath().toString()));
        if (Files.exists(definition.folder().resolve(TARGETS_FILE))) {
            places.put(
                    "targetsFile",
                    List.of(directory.toAbsolutePath().resolve(TARGETS_FILE).toString()));
        }
        return places;
    }

    private Path log(Part part) {
        Path log = directory.resolve(part.name());
        try {
            Files.createDirectories(log.getParent());
        } catch (IOException e) {
            throw new ExperimentException(log.getParent() + ": cannot be made: " + MeasurementException.reason(e));
        }
        return log;
    }

    /**
     * Returns the whole words of a part's command.
     *
     * @param addresses of its services
     */
    private List<String> words(Part part, Map<String, String> addresses) {
        Map<String, List<String>> late = places(definition, directory, runner);
        addresses.forEach((name, value) -> late.put(name, List.of(value)));
        Path targets = definition.folder().resolve(TARGETS_FILE);
        if (Files.exists(targets)) {
            try {
                String text = Files.readString(targets, StandardCharsets.UTF_8);
                State.write(directory.resolve(TARGETS_FILE), new Scope(targets.toString(), late, Map.of()).text(text));
            } catch (IOException e) {
                throw new ExperimentException(targets + ": cannot be read: " + MeasurementException.reason(e));
            }
        }
        List<String> words = new ArrayList<>(new Scope(part.name(), late, Map.of()).words(part.words()));
        if (part.isProgram()) {
            return words;
        }
        String own = directory.resolve(part.name()).toString();
        // A search that is not finished goes on all the same, unless its JVM is another one by now.
        words.addAll(part.isSearch() ? 1 : 0, List.of("-o", own, "--force"));
        return words;
    }

    private boolean carriedOut(Part part, int number, int of) {
        carryOut(part, number, of);
        return !runner.isInterrupted();
    }

    /**
     * Finds the least of a part's values that holds by halving: where one holds, all greater ones are taken to.
     *
     * @param isTried tries a value, or tells whether it was tried; where it was not, nothing is found
     */
    private void findLeast(Part part, Predicate<Part> isTried) {
        int below = -1;
        int holds = part.tried().size();
        while (holds - below > 1) {
            int middle = (below + holds) / 2;
            Part one = part.of(part.tried().get(middle));
            if (!isTried.test(one)) {
                return;
            }
            State.End end = state.of(one).map(ended -> ended.end).orElse(State.End.FAILED);
            String why = state.of(one).map(ended -> ended.why).orElse("its files changed meanwhile");
            if (end == State.End.SKIPPED) {
                return;
            }
            if (end == State.End.INVALID) {
                whyNoLeast.put(part.name(), notKnown(one.name() + " was INVALID: " + why));
                return;
            }
            if (end == State.End.FAILED) {
                // A target that ends leaves a result, at its start too. What leaves none may fail with any memory.
                whyNoLeast.put(part.name(), notKnown(one.name() + " failed: " + why));
                return;
            }
            if (end != State.End.DONE) {
                below = middle;
                continue;
            }
            try {
                if (holds(one)) {
                    holds = middle;
                } else {
                    below = middle;
                }
            } catch (MeasurementException e) {
                // What was read before is worth its table all the same.
                whyNoLeast.put(part.name(), notKnown(e.getMessage()));
                return;
            }
        }
        if (holds < part.tried().size()) {
            least.put(part.name(), part.tried().get(holds));
        } else {
            whyNoLeast.put(part.name(), "None of " + String.join(", ", part.tried()) + " holds.");
        }
    }

    private static String notKnown(String why) {
        return "Not known: " + why + "; the same command tries it again.";
    }

    private boolean holds(Part one) {
        RunResult result = runs.result(one.name());
        return result.assertions().stream().allMatch(AssertionResult::holds)
                && result.targets().stream().allMatch(target -> target.exit().isEmpty());
    }
}
