package dev.lockstep.search;

import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Study;
import dev.lockstep.tuner.StudyState;
import dev.lockstep.tuner.Trial;
import java.util.Optional;

/** The tuner's own study. */
final class StudyEngine implements Engine {
    private final Study study;

    /**
     * @param evaluations how many trials there are to be in all
     * @throws SpaceException where no configuration keeps the rules
     */
    StudyEngine(SearchPlan plan, int evaluations) {
        try {
            study = Study.of(plan.space(), plan.options(evaluations));
        } catch (IllegalArgumentException e) {
            // Rules that no configuration keeps are found out by looking for one.
            throw new SpaceException(plan.file().map(file -> file + ": ").orElse("") + e.getMessage());
        }
    }

    @Override
    public Optional<Trial> ask() {
        return Optional.of(study.ask());
    }

    @Override
    public void resume(Trial trial) {
        study.resume(trial);
    }

    @Override
    public void tell(Trial trial, Observation observation) {
        study.tell(trial, observation);
    }

    @Override
    public Optional<Best> best() {
        return study.best().map(Best::of);
    }

    @Override
    public Optional<String> whyEnd() {
        return study.whyEnd();
    }

    @Override
    public Optional<StudyState> state() {
        return Optional.of(study.state());
    }

    @Override
    public void close() {}
}
