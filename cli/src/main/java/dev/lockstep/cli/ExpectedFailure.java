package dev.lockstep.cli;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.conversion.ConversionException;
import dev.lockstep.exporter.ExporterException;
import dev.lockstep.launcher.TargetFailedException;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.profiler.ProfilerException;
import dev.lockstep.recorder.RecorderException;
import dev.lockstep.redaction.RedactionException;
import dev.lockstep.replayer.ReplayException;

/** Knows the exceptions whose message is one line for the user; all others are defects and keep their trace. */
final class ExpectedFailure {
    private ExpectedFailure() {}

    static boolean isExpected(Throwable e) {
        return e instanceof CliException
                || e instanceof CaptureException
                || e instanceof ConversionException
                || e instanceof ExporterException
                || e instanceof RecorderException
                || e instanceof RedactionException
                || e instanceof MeasurementException
                || e instanceof ProfilerException
                || e instanceof ReplayException
                || e instanceof TargetFailedException;
    }
}
