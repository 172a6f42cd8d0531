package dev.lockstep.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Space;
import dev.lockstep.tuner.Trial;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Hands each configuration to a program: a line {@code {"trial": 7, "parameters": {"x": 0.3}}}, answered by
 * {@code {"trial": 7, "value": 1.25}}. docs/tuning.md has all fields.
 */
public final class ProgramEvaluator implements Evaluator {
    private final OutsideProgram program;
    private final Space space;
    private final Map<Integer, Trial> begun = new TreeMap<>();
    /** Trials that were given up, whose answers may still come. */
    private final Set<Integer> givenUp = new HashSet<>();

    private ProgramEvaluator(OutsideProgram program, Space space) {
        this.program = program;
        this.space = space;
    }

    /**
     * @param directory gets {@code evaluate.log}, what the program writes to standard error
     * @throws SearchException where it cannot be started
     */
    public static ProgramEvaluator start(String command, Space space, Path directory) {
        return new ProgramEvaluator(OutsideProgram.start(command, directory.resolve("evaluate.log")), space);
    }

    @Override
    public void begin(Trial trial) {
        ObjectNode question = JsonLines.object();
        question.put("trial", trial.number());
        question.set("parameters", JsonLines.values(trial.configuration().values()));
        program.write(JsonLines.print(question));
        begun.put(trial.number(), trial);
    }

    @Override
    public Optional<Told> next(Control control) {
        while (true) {
            Optional<String> line = program.read(control::givesUp);
            if (line.isEmpty()) {
                return Optional.empty();
            }
            try {
                ObjectNode answer = JsonLines.parse(line.get());
                int number = JsonLines.trial(answer);
                if (!begun.containsKey(number) && givenUp.remove(number)) {
                    continue;
                }
                if (!begun.containsKey(number)) {
                    throw new IllegalArgumentException("trial: expected " + numbers() + ", found " + number);
                }
                Observation observation = JsonLines.observation(answer, Set.of("trial"), space);
                return Optional.of(Told.of(begun.remove(number), Evaluation.of(observation)));
            } catch (IllegalArgumentException e) {
                throw program.wrong("its answer to trial " + numbers() + ": " + e.getMessage());
            }
        }
    }

    /** Returns which trials it was asked and has not answered, for people. */
    private String numbers() {
        return begun.keySet().stream().map(String::valueOf).collect(Collectors.joining(" or "));
    }

    @Override
    public void giveUp(Trial trial) {
        begun.remove(trial.number());
        givenUp.add(trial.number());
    }

    @Override
    public void close() {
        program.close();
    }
}
