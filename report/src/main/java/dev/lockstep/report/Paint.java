package dev.lockstep.report;

/** How lines of a report are shown where there are colours. */
public interface Paint {
    /** What a line is. */
    enum Tone {
        /** A heading. */
        HEADING,
        /** Something that is well. */
        GOOD,
        /** Something that is not, or that spoils everything else. */
        BAD,
        /** Something that is not known well enough. */
        DOUBT,
        /** Something to type. */
        COMMAND
    }

    /** Shows all lines as they are. */
    Paint NONE = (tone, line) -> line;

    /** Returns the line with what shows its tone, which takes no place on a screen. */
    String of(Tone tone, String line);
}
