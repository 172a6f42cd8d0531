package dev.lockstep.cli;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.launcher.TargetFailedException;
import dev.lockstep.recorder.RecorderException;

/** Knows the exceptions whose message is one line for the user; all others are defects and keep their trace. */
final class ExpectedFailure {
    private ExpectedFailure() {}

    static boolean isExpected(Throwable e) {
        return e instanceof CliException
                || e instanceof CaptureException
                || e instanceof RecorderException
                || e instanceof TargetFailedException;
    }
}
