package dev.lockstep.fuzzing;

/** Sees to it that whatever is fed is read on, within its bounds. */
final class Progress {
    private Progress() {}

    static int check(int next, int from, int to) {
        if (next <= from || next > to) {
            throw new AssertionError("read from " + from + " to " + next + " of " + to);
        }
        return next;
    }
}
