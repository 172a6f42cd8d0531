package dev.lockstep.search;

import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Trial;

/** A trial and what came of it. Immutable. */
public final class Told {
    private final Trial trial;
    private final Evaluation evaluation;

    private Told(Trial trial, Evaluation evaluation) {
        this.trial = trial;
        this.evaluation = evaluation;
    }

    public static Told of(Trial trial, Evaluation evaluation) {
        return new Told(trial, evaluation);
    }

    public int number() {
        return trial.number();
    }

    public Trial.Origin origin() {
        return trial.origin();
    }

    /** The configuration that was evaluated. */
    public Configuration configuration() {
        return evaluation.inEffect().orElse(trial.configuration());
    }

    public Evaluation evaluation() {
        return evaluation;
    }

    public Observation observation() {
        return evaluation.observation();
    }

    /** Which trial it was, with the configuration that was asked for. */
    public Trial trial() {
        return trial;
    }
}
