package dev.lockstep.launcher;

/**
 * Starts targets and sees to it that none outlives it: {@link #close()} stops what still runs and removes the control
 * groups. Safe to use from any thread; close it from a shutdown hook too.
 */
public final class TargetLauncher implements AutoCloseable {
    private TargetLauncher() {}

    /** Prepares control groups, as far as this machine lets us, and removes those that a killed Lockstep left. */
    public static TargetLauncher open(JvmInventory inventory) {
        throw new UnsupportedOperationException();
    }

    /**
     * Starts a target, or attaches to it, and returns when it has given its first good answer and its JIT is proven.
     *
     * @throws TargetFailedException when it does not; nothing of it is left then
     * @throws InterruptedException when the caller is interrupted; nothing of the target is left then
     */
    public TargetProcess launch(TargetSpec spec, LaunchSettings settings) throws InterruptedException {
        throw new UnsupportedOperationException();
    }

    /** Returns how targets are pinned, capped and frozen here, with the reason where that is second best. */
    public String isolation() {
        throw new UnsupportedOperationException();
    }

    /** Stops all targets and removes the control groups. Idempotent; may be called from any thread. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
