package dev.lockstep.report;

import java.util.List;

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

    /** Adds the lines of a text, each with what shows its tone. */
    default void add(List<String> lines, Tone tone, String text) {
        Lines.wrapped(text).forEach(line -> lines.add(of(tone, line)));
    }
}
