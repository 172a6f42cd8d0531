package dev.lockstep.cli;

import dev.lockstep.report.Paint;
import picocli.CommandLine.Help.Ansi.IStyle;
import picocli.CommandLine.Help.Ansi.Style;

/** Says who watches, and what their terminal shows; the JVM cannot tell, so ./replay does. */
final class Terminal {
    private Terminal() {}

    /** Says whether a person watches standard error. */
    static boolean isWatched() {
        return Boolean.getBoolean("lockstep.terminal");
    }

    /** Returns how the report is shown: in colours where standard output is a terminal that is to have them. */
    static Paint paint() {
        return paint(Boolean.getBoolean("lockstep.terminal.output"), System.getenv("NO_COLOR"), System.getenv("TERM"));
    }

    /**
     * @param noColour the variable NO_COLOR, see no-color.org; null where it is not set
     * @param kind the variable TERM
     */
    static Paint paint(boolean terminal, String noColour, String kind) {
        boolean plain = !terminal || noColour != null && !noColour.isEmpty() || kind == null || kind.equals("dumb");
        // What ends bold begins a double underline in many terminals; so everything ends.
        return plain ? Paint.NONE : (tone, line) -> Style.on(styles(tone)) + line + Style.reset.on();
    }

    private static IStyle[] styles(Paint.Tone tone) {
        switch (tone) {
            case GOOD:
                return Style.parse("bold,fg(green)");
            case BAD:
                return Style.parse("bold,fg(red)");
            case DOUBT:
                return Style.parse("bold,fg(yellow)");
            case COMMAND:
                return Style.parse("fg(cyan)");
            default:
                return Style.parse("bold");
        }
    }
}
