package dev.lockstep.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * An optimiser outside. It gets the space in its first line and then, a line each, {@code {"tell": {...}}}, which it
 * does not answer, {@code {"ask": 7}} and {@code {"best": true}}, which it does; docs/tuning.md has all fields.
 */
public final class ProgramEngine implements Engine {
    private final OutsideProgram program;
    private final SearchPlan plan;
    private final BooleanSupplier givesUp;
    private int asked;

    private ProgramEngine(OutsideProgram program, SearchPlan plan, BooleanSupplier givesUp) {
        this.program = program;
        this.plan = plan;
        this.givesUp = givesUp;
    }

    /**
     * @param evaluations how many trials there are to be in all
     * @param directory gets {@code engine.log}, what the program writes to standard error
     * @param environment changes this process's environment to the program's
     * @param givesUp whether not to wait for its answers any more
     * @throws SearchException where it cannot be started
     */
    public static ProgramEngine start(
            String command,
            SearchPlan plan,
            int evaluations,
            Path directory,
            Consumer<Map<String, String>> environment,
            BooleanSupplier givesUp) {
        OutsideProgram program = OutsideProgram.start(command, directory.resolve("engine.log"), environment);
        program.write(JsonLines.print(JsonLines.object("space", plan.document().put("evaluations", evaluations))));
        return new ProgramEngine(program, plan, givesUp);
    }

    @Override
    public Optional<Trial> ask() {
        int number = asked + 1;
        Optional<ObjectNode> answer = answer(JsonLines.object().put("ask", number));
        if (answer.isEmpty() || answer.get().path("done").asBoolean()) {
            return Optional.empty();
        }
        try {
            int found = JsonLines.trial(answer.get());
            if (found != number) {
                throw new IllegalArgumentException("trial: expected " + number + ", found " + found);
            }
            Configuration configuration = JsonLines.configuration(plan.space(), answer.get());
            asked = number;
            return Optional.of(Trial.of(number, configuration, Trial.Origin.MODEL));
        } catch (IllegalArgumentException e) {
            throw program.wrong("its answer to ask " + number + ": " + e.getMessage());
        }
    }

    private Optional<ObjectNode> answer(ObjectNode question) {
        program.write(JsonLines.print(question));
        return program.read(givesUp).map(line -> {
            try {
                return JsonLines.parse(line);
            } catch (IllegalArgumentException e) {
                throw program.wrong("its answer to " + question + ": " + e.getMessage());
            }
        });
    }

    @Override
    public void resume(Trial trial) {
        asked = Math.max(asked, trial.number());
    }

    @Override
    public void tell(Trial trial, Observation observation) {
        ObjectNode told = JsonLines.object().put("trial", trial.number());
        told.set("parameters", JsonLines.values(trial.configuration().values()));
        JsonLines.put(told, observation);
        program.write(JsonLines.print(JsonLines.object("tell", told)));
    }

    @Override
    public Optional<Best> best() {
        Optional<ObjectNode> answer =
                answer(JsonLines.object().put("best", true)).filter(object -> object.hasNonNull("parameters"));
        try {
            return answer.map(object -> Best.builder(JsonLines.configuration(plan.space(), object))
                    .predicted(JsonLines.number(object, "predicted"))
                    .build());
        } catch (IllegalArgumentException e) {
            throw program.wrong("its answer to best: " + e.getMessage());
        }
    }

    @Override
    public Optional<String> whyEnd() {
        return Optional.empty();
    }

    @Override
    public void close() {
        program.close();
    }
}
