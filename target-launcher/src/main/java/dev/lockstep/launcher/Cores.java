package dev.lockstep.launcher;

import java.util.List;
import java.util.Optional;

/**
 * Which processors the replayer and the targets get. Immutable; safe to use from any thread.
 *
 * <p>Without a wish of the user the replayer gets the first core and the targets the rest, with the hyperthreads of a
 * core kept together. With one processor all share it, and a {@link #warnings() warning} says so.
 *
 * <p>The user's wish ({@code --cores}) has the form {@code replayer=0/targets=1-3}, short {@code 0/1-3}. A target can
 * be given its own processors by name: {@code replayer=0/c2=1/graal=2}.
 */
public final class Cores {
    private Cores() {}

    /**
     * Splits the processors that this process may use.
     *
     * @param wish the user's {@code --cores}, or null
     * @param targets names of the targets, in order
     * @throws IllegalArgumentException when the wish is not of the form above, names an unknown target or a processor
     *     that this process may not use
     */
    public static Cores plan(String wish, List<String> targets) {
        throw new UnsupportedOperationException();
    }

    /** Returns the processors this process may use, as the kernel says. */
    public static CpuList allowed() {
        throw new UnsupportedOperationException();
    }

    /** Returns the processors of the replayer. */
    public CpuList replayer() {
        throw new UnsupportedOperationException();
    }

    /** Returns all processors of the targets: what each gets when they alternate. */
    public CpuList targets() {
        throw new UnsupportedOperationException();
    }

    /** Tells whether every target can have processors of its own, as many as every other, away from the replayer. */
    public boolean canRunTogether() {
        throw new UnsupportedOperationException();
    }

    /**
     * Returns the processors of one target when all run at the same time; launch after launch they go round the targets.
     *
     * @param target index in the list given to {@link #plan}
     * @param launch 0, 1, 2...
     * @throws IllegalStateException when they can not run together
     */
    public CpuList together(int target, int launch) {
        throw new UnsupportedOperationException();
    }

    /** Returns the split and why the targets can or can not run together, in one line for people. */
    public String describe() {
        throw new UnsupportedOperationException();
    }

    /** Returns what spoils the measurement in this split, one line each; empty is good. */
    public List<String> warnings() {
        throw new UnsupportedOperationException();
    }

    /**
     * Pins all threads of this process, and with them those it will start, to the replayer's processors.
     *
     * @return a warning line when that was not possible
     */
    public Optional<String> pinThisProcess() {
        throw new UnsupportedOperationException();
    }
}
