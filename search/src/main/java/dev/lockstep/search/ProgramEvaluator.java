package dev.lockstep.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Space;
import dev.lockstep.tuner.Trial;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Hands each configuration to a program: a line {@code {"trial": 7, "parameters": {"x": 0.3}}}, answered by
 * {@code {"trial": 7, "value": 1.25}}. docs/tuning.md has all fields.
 */
public final class ProgramEvaluator implements Evaluator {
    private final OutsideProgram program;
    private final Space space;
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
    public Optional<Evaluation> evaluate(Trial trial, Control control) {
        ObjectNode question = JsonLines.object();
        question.put("trial", trial.number());
        question.set("parameters", JsonLines.values(trial.configuration().values()));
        program.write(JsonLines.print(question));
        while (true) {
            Optional<String> line = program.read(control::givesUp);
            if (line.isEmpty()) {
                givenUp.add(trial.number());
                return Optional.empty();
            }
            ObjectNode answer;
            try {
                answer = JsonLines.parse(line.get());
                int number = JsonLines.trial(answer);
                if (number != trial.number() && givenUp.remove(number)) {
                    continue;
                }
                if (number != trial.number()) {
                    throw new IllegalArgumentException("trial: expected " + trial.number() + ", found " + number);
                }
                return Optional.of(Evaluation.of(JsonLines.observation(answer, Set.of("trial"), space.constraints())));
            } catch (IllegalArgumentException e) {
                throw program.wrong("its answer to trial " + trial.number() + ": " + e.getMessage());
            }
        }
    }

    @Override
    public void close() {
        program.close();
    }
}
