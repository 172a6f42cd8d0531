package dev.lockstep.replayer;

/** Decides how each target is warmed up; called on the thread that called {@link Replayer#warmUp}. */
public interface WarmUpSteps {
    /** What a target gets. A target never goes back to an earlier one. */
    enum Step {
        /**
         * As {@link #HEAT}, but for more than half of the time nothing, so that its JIT, which has much to do, has the
         * processor to itself.
         */
        COMPILE,
        /** The capture's requests over and over, as fast as it answers. */
        HEAT,
        /** The load that will be measured. */
        PACE,
        /** It is warm: it gets the load that will be measured until all are. */
        DONE;

        /** Whether the capture's requests are sent over and over, faster than they will be measured. */
        public boolean heats() {
            return this == COMPILE || this == HEAT;
        }
    }

    /** Returns what a target gets from now on; asked before the start and after each interval, about once a second. */
    Step next(TargetReplay target);

    /** A target gets this from now on; the intervals before are handed on. Not called for {@link Step#DONE}. */
    void begins(TargetReplay target, Step step);
}
