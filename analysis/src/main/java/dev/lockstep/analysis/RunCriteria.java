package dev.lockstep.analysis;

import java.util.List;
import java.util.Optional;

/** By what runs are compared: the metrics that decide, the margin, and which target stands for the day. Immutable. */
public final class RunCriteria {
    private final double margin;
    private final Metric primary;
    private final List<Metric> failOn;
    private final boolean usesControl;
    private final String control;

    private RunCriteria(double margin, Metric primary, List<Metric> failOn, boolean usesControl, String control) {
        this.margin = margin;
        this.primary = primary;
        this.failOn = failOn;
        this.usesControl = usesControl;
        this.control = control;
    }

    /** @param margin the difference below which nobody cares, above 0 and below 1: 0.01 is 1 % */
    public static RunCriteria of(double margin) {
        if (!(margin > 0 && margin < 1)) {
            throw new IllegalArgumentException("margin must be above 0 and less than 1, is " + margin);
        }
        return new RunCriteria(margin, null, List.of(), true, null);
    }

    /** Returns these with a metric that decides instead of the runs' own. */
    public RunCriteria primary(Metric metric) {
        return new RunCriteria(margin, metric, failOn, usesControl, control);
    }

    /** Returns these with further metrics that decide. */
    public RunCriteria failOn(List<Metric> metrics) {
        return new RunCriteria(margin, primary, List.copyOf(metrics), usesControl, control);
    }

    /** Returns these with a target that stands for the day. */
    public RunCriteria control(String target) {
        return new RunCriteria(margin, primary, failOn, true, target);
    }

    /** Returns these without one. */
    public RunCriteria withoutControl() {
        return new RunCriteria(margin, primary, failOn, false, null);
    }

    double margin() {
        return margin;
    }

    Optional<Metric> primary() {
        return Optional.ofNullable(primary);
    }

    List<Metric> failOn() {
        return failOn;
    }

    /** Whether a target may stand for the day. */
    boolean usesControl() {
        return usesControl;
    }

    /** Returns the one that was named. */
    Optional<String> control() {
        return Optional.ofNullable(control);
    }
}
