package dev.lockstep.replayer;

/**
 * Repeats the few tests in which an event must come between two moments of a recording: a machine that stands still
 * just then makes the event late, and the outcome rightly another one. What is wrong fails every time.
 */
final class Retry {
    private static final int TIMES = 10;
    private static final long LONGEST_TIMEOUT_MS = 20_000;

    private Retry() {}

    /** A test's body. */
    interface Attempt {
        void run() throws Exception;
    }

    /** A test's body that takes a time-out. */
    interface TimedAttempt {
        void run(long timeoutMs) throws Exception;
    }

    /** Repeats what fails up to ten times, and fails as the last one did. */
    static void untilUndisturbed(Attempt attempt) throws Exception {
        for (int i = 1; i < TIMES; i++) {
            try {
                attempt.run();
                return;
            } catch (AssertionError disturbed) {
                System.out.println("disturbed, again: " + disturbed.getMessage());
            }
        }
        attempt.run();
    }

    /** Repeats what fails with a time-out that grows to 20 s, and fails as the last one did. */
    static void withTimeouts(long firstMs, TimedAttempt attempt) throws Exception {
        for (long timeoutMs = firstMs; timeoutMs < LONGEST_TIMEOUT_MS; timeoutMs *= 3) {
            try {
                attempt.run(timeoutMs);
                return;
            } catch (AssertionError disturbed) {
                System.out.println("disturbed at " + timeoutMs + " ms, again: " + disturbed.getMessage());
            }
        }
        attempt.run(LONGEST_TIMEOUT_MS);
    }
}
