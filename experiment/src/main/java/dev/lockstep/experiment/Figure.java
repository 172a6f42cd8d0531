package dev.lockstep.experiment;

import java.util.OptionalDouble;

/** A figure of an experiment as it was published and as it was found here. What is absent, the comment explains. */
final class Figure {
    /** How a comment says that nothing was published. */
    static final String UNPUBLISHED = "No figure was published.";

    /** How a comment says that agreement and difference would be chance, since what is found is something else. */
    static final String NOT_JUDGED = "Not judged: it was published of another quantity.";

    /** How the comment of a figure begins whose part was not asked for. */
    static final String NOT_ASKED = "Left out by --only.";

    /** How the comment of a figure begins that a size leaves out. */
    static String leftOut(Size size) {
        return "Not part of --" + size.key() + ".";
    }

    private final String name;
    private final String unit;
    private final OptionalDouble published;
    private final OptionalDouble here;
    private final OptionalDouble low;
    private final OptionalDouble high;
    private final String comment;

    Figure(
            String name,
            String unit,
            OptionalDouble published,
            OptionalDouble here,
            OptionalDouble low,
            OptionalDouble high,
            String comment) {
        this.name = name;
        this.unit = unit;
        this.published = published;
        this.here = here;
        this.low = low;
        this.high = high;
        this.comment = comment;
    }

    String name() {
        return name;
    }

    String unit() {
        return unit;
    }

    OptionalDouble published() {
        return published;
    }

    OptionalDouble here() {
        return here;
    }

    /** The ends of the 95 % interval of what was found here. */
    OptionalDouble low() {
        return low;
    }

    OptionalDouble high() {
        return high;
    }

    /** Whether it agrees with the published one, what differs, and why something is absent. */
    String comment() {
        return comment;
    }
}
