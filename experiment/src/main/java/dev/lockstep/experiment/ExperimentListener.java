package dev.lockstep.experiment;

/** Hears how an experiment goes. */
public interface ExperimentListener {
    /** A part begins, or goes on. */
    void begins(String part, int number, int of);

    /** A part came to this, for people: {@code done}, {@code done before}, {@code skipped: no openj9 here}. */
    void ended(String part, String what);
}
