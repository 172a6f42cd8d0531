package dev.lockstep.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.search.OutsideProgram.EndedException;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Space;
import dev.lockstep.tuner.Trial;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Hands each configuration to a program: a line {@code {"trial": 7, "parameters": {"x": 0.3}}}, answered by
 * {@code {"trial": 7, "value": 1.25}}. docs/tuning.md has all fields.
 *
 * <p>A program that ends is started once more and asked the same again, one trial at a time, for one of them may be
 * what ended it; a trial at which it ends twice has failed, unless that is due to the program itself, which
 * {@link Evaluation#unanswered} leaves to the search to find out.
 */
public final class ProgramEvaluator implements Evaluator {
    /** A trial that has no answer yet. */
    private static final class Open {
        final Trial trial;
        /** Whether the program that runs has it. */
        boolean sent;

        long sentNs;
        /** Whether a program ended that had it. */
        boolean ended;

        Open(Trial trial) {
            this.trial = trial;
        }
    }

    private final String command;
    private final Space space;
    private final Path log;
    private final Consumer<Map<String, String>> environment;
    private final Map<Integer, Open> begun = new TreeMap<>();
    /** Trials that were given up, whose answers may still come. */
    private final Set<Integer> givenUp = new HashSet<>();
    /** Trials that the program that runs has answered, with how many questions it had been asked by then. */
    private final Map<Integer, Integer> answers = new HashMap<>();
    /** How many questions were asked. */
    private int questions;
    /** Whether it was said that constraints of answers are ignored. */
    private boolean saidIgnored;
    /** When the program that runs last answered anything. */
    private long answeredNs = System.nanoTime();

    private Optional<Duration> limit = Optional.empty();
    /** Null where it is to be started for the next trial. */
    private OutsideProgram program;
    /** That it ended before it took what it was asked; null where it did not. */
    private EndedException untold;

    private ProgramEvaluator(String command, Space space, Path log, Consumer<Map<String, String>> environment) {
        this.command = command;
        this.space = space;
        this.log = log;
        this.environment = environment;
        program = OutsideProgram.start(command, log, environment);
    }

    /**
     * @param directory gets {@code evaluate.log}, what the program writes to standard error
     * @param environment changes this process's environment to the program's
     * @throws SearchException where it cannot be started
     */
    public static ProgramEvaluator start(
            String command, Space space, Path directory, Consumer<Map<String, String>> environment) {
        return new ProgramEvaluator(command, space, directory.resolve("evaluate.log"), environment);
    }

    /** Has each trial fail that takes longer; none where absent. */
    public ProgramEvaluator within(Optional<Duration> longest) {
        limit = longest;
        return this;
    }

    @Override
    public void begin(Trial trial) {
        begun.put(trial.number(), new Open(trial));
        try {
            send();
        } catch (EndedException e) {
            untold = e;
        }
    }

    /** Asks what was not asked yet; as long as the program has a trial at which it may end, nothing beside that. */
    private void send() {
        for (Open one : begun.values()) {
            if (!one.sent && begun.values().stream().noneMatch(other -> other.sent && (one.ended || other.ended))) {
                program = program == null ? OutsideProgram.start(command, log, environment) : program;
                one.sent = true;
                one.sentNs = System.nanoTime();
                questions++;
                ObjectNode question = JsonLines.object().put("trial", one.trial.number());
                question.set(
                        "parameters", JsonLines.values(one.trial.configuration().values()));
                program.write(JsonLines.print(question));
            }
        }
    }

    @Override
    public Optional<Told> next(Control control) {
        while (true) {
            Optional<Told> told = Optional.empty();
            try {
                if (untold != null) {
                    EndedException e = untold;
                    untold = null;
                    throw e;
                }
                send();
                Optional<String> line = program.read(() -> control.givesUp() || isLate());
                if (line.isPresent()) {
                    told = answered(line.get());
                } else if (control.givesUp()) {
                    return Optional.empty();
                } else {
                    told = late().map(this::tooLate);
                }
            } catch (EndedException e) {
                if (control.givesUp()) {
                    return Optional.empty();
                }
                told = ended(e);
            }
            if (told.isPresent()) {
                return told;
            }
        }
    }

    /** Whether to wait no more: what came while something else was done is read before. */
    private boolean isLate() {
        return !hasUnread() && late().isPresent();
    }

    /** Whether the program has written what is not read yet. */
    boolean hasUnread() {
        return program.hasLine();
    }

    /** Returns a trial that takes longer than it may. */
    private Optional<Open> late() {
        long nowNs = System.nanoTime();
        return limit.flatMap(longest -> begun.values().stream()
                .filter(one -> one.sent && nowNs - one.sentNs > longest.toNanos())
                .findFirst());
    }

    private Told tooLate(Open one) {
        String why = "no answer within " + SearchPlan.print(limit.orElseThrow());
        SearchException hangs = program.wrong(why + " to trial " + one.trial.number());
        giveUp(one.trial, one.sentNs - answeredNs > 0);
        return Told.of(
                one.trial,
                Evaluation.builder(Observation.failed(why)).unanswered(hangs).build());
    }

    /** Returns what a line answers; absent where that is not wanted any more. */
    private Optional<Told> answered(String line) {
        try {
            ObjectNode answer = JsonLines.parse(line);
            int number = JsonLines.trial(answer);
            Open asked = begun.get(number);
            boolean isAsked = asked != null && asked.sent;
            answeredNs = System.nanoTime();
            if (!isAsked && (givenUp.remove(number) || isRepeated(number))) {
                return Optional.empty();
            }
            if (!isAsked) {
                throw new IllegalArgumentException("trial: expected " + numbers() + ", found " + number);
            }
            Observation observation = JsonLines.observation(answer, space);
            begun.remove(number);
            answers.put(number, questions);
            Evaluation evaluation = Evaluation.builder(observation)
                    .addAllNotes(notes(answer))
                    .addAllNotes(notMeasured(observation))
                    .build();
            return Optional.of(Told.of(asked.trial, evaluation));
        } catch (IllegalArgumentException e) {
            throw program.wrong("its answer to trial " + numbers() + ": " + e.getMessage());
        }
    }

    /**
     * Whether an answer to this trial came twice before the next question. One after it has a wrong number, and whoever
     * passed over that would wait for the right one without end.
     */
    private boolean isRepeated(int number) {
        Integer before = answers.get(number);
        return before != null && (before == questions || program.cameBeforeQuestion());
    }

    /** Says once that constraints are ignored where the space names none. */
    private List<String> notes(ObjectNode answer) {
        if (saidIgnored
                || !space.constraints().isEmpty()
                || answer.path("constraints").isEmpty()) {
            return List.of();
        }
        saidIgnored = true;
        return List.of("constraints of answers are ignored, for the space names none under the key 'constraints'");
    }

    /** Says which constraints stand beside no value: the search takes them for kept as long as none says otherwise. */
    private List<String> notMeasured(Observation observation) {
        String names = space.constraints().stream()
                .filter(name -> !observation.constraints().containsKey(name))
                .collect(Collectors.joining(", "));
        return observation.value().isEmpty() || names.isEmpty() ? List.of() : List.of("not measured: " + names);
    }

    /** Returns which trials it was asked and has not answered, for people. */
    private String numbers() {
        return begun.values().stream()
                .filter(one -> one.sent)
                .map(one -> String.valueOf(one.trial.number()))
                .collect(Collectors.joining(" or "));
    }

    /**
     * Has what the program did not answer asked once more.
     *
     * @return that the only trial that it ever had has failed, where one before ended at that, too
     */
    private Optional<Told> ended(EndedException e) {
        List<Open> at = begun.values().stream().filter(one -> one.sent).collect(Collectors.toList());
        // One that answers a line and ends did so at the trial before.
        boolean answered = !answers.isEmpty();
        stop();
        if (at.size() > 1 || answered || !at.get(0).ended) {
            at.forEach(one -> {
                one.ended = true;
                one.sent = false;
            });
            return Optional.empty();
        }
        Trial trial = at.get(0).trial;
        begun.remove(trial.number());
        return Optional.of(Told.of(
                trial,
                Evaluation.builder(Observation.failed("the program ended at it twice: it " + e.what()))
                        .unanswered(e)
                        .build()));
    }

    @Override
    public void giveUp(Trial trial) {
        giveUp(trial, !givenUp.isEmpty() && begun.get(trial.number()).sentNs - answeredNs > 0);
    }

    /** @param hangs whether the program has answered nothing for so long that it does at no other trial either */
    private void giveUp(Trial trial, boolean hangs) {
        Open one = begun.remove(trial.number());
        if (one.sent && (hangs || begun.values().stream().noneMatch(other -> other.sent))) {
            // What it has besides is asked anew.
            begun.values().forEach(other -> other.sent = false);
            stop();
        } else if (one.sent) {
            givenUp.add(trial.number());
        }
    }

    private void stop() {
        program.close();
        program = null;
        givenUp.clear();
        answers.clear();
    }

    @Override
    public void close() {
        if (program != null) {
            stop();
        }
    }
}
