package dev.lockstep.cli.terminal;

import dev.lockstep.report.Paint;
import dev.lockstep.results.directory.FileTree;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jline.nativ.CLibrary;
import org.jline.terminal.Size;
import picocli.CommandLine.Help.Ansi.IStyle;
import picocli.CommandLine.Help.Ansi.Style;

/** Says who watches, and what their terminal shows; the JVM cannot tell, so ./replay does. */
public final class Terminal {
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private static final String OUTPUT = "lockstep.terminal.output";
    private static final int STANDARD_OUTPUT = 1;
    private static final int STANDARD_ERROR = 2;
    /** Where the terminal does not say. */
    private static final Size USUAL = new Size(80, 24);

    /**
     * The library that asks terminals. It unpacks itself into files that the JVM removes at its end, but not at that of
     * an {@link Interruption}: so they are in a folder that goes once it is loaded.
     */
    private static final class Library {
        private static final String PLACE = "jline.tmpdir";

        static {
            try {
                Path folder = Files.createTempDirectory("lockstep-terminal");
                System.setProperty(PLACE, folder.toString());
                try {
                    CLibrary.isatty(STANDARD_ERROR);
                } finally {
                    System.clearProperty(PLACE);
                    FileTree.remove(folder);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        static void load() {}
    }

    private Terminal() {}

    /** Prints an error on one line; what it quotes, from a file or of a name, cannot command the terminal. */
    public static void error(PrintWriter err, String message) {
        err.println("replay: " + printable(String.valueOf(message).replaceAll("\\s*\\R\\s*", " ")));
        err.flush();
    }

    /** Returns a text with its control characters written as escapes, such as {@code \x1b}. */
    public static String printable(String text) {
        return CONTROL.matcher(text).replaceAll(found -> {
            char character = found.group().charAt(0);
            return Matcher.quoteReplacement(String.format(character < 0x100 ? "\\x%02x" : "\\u%04x", (int) character));
        });
    }

    /**
     * Returns what writes a line over the one with the cursor. What is too long for the terminal is cut there: of a
     * line that went on in the next one, only the last part would be written over.
     */
    public static String over(String line) {
        return "\r\033[?7l" + line + "\033[K\033[?7h";
    }

    /** Says whether a person watches standard error, on a terminal that can write over a line. */
    public static boolean isWatched() {
        return isWatched(Boolean.getBoolean("lockstep.terminal"), System.getenv("CI"), System.getenv("TERM"));
    }

    /**
     * @param builds the variable CI, which services that build software set; null where it is not set
     * @param kind the variable TERM
     */
    static boolean isWatched(boolean terminal, String builds, String kind) {
        boolean inCi = builds != null && !builds.isEmpty() && !builds.equals("false");
        return terminal && !inCi && isCapable(kind);
    }

    private static boolean isCapable(String kind) {
        return kind != null && !kind.equals("dumb");
    }

    /** Says whether what is written to standard error, a terminal, is to have colours. */
    static boolean hasColours() {
        return !forbids(System.getenv("NO_COLOR"));
    }

    private static boolean forbids(String noColour) {
        return noColour != null && !noColour.isEmpty();
    }

    /**
     * Returns the encoding of the terminal that a standard stream is, and the user's where it is none.
     *
     * @param stream stdout or stderr
     */
    public static Charset encoding(String stream) {
        // The first is known from JDK 19 on, the second before where it is a terminal, the third from 17 on.
        return Stream.of(stream + ".encoding", "sun." + stream + ".encoding", "native.encoding")
                .map(System::getProperty)
                .filter(name -> name != null && Charset.isSupported(name))
                .findFirst()
                .map(Charset::forName)
                .orElse(Charset.defaultCharset());
    }

    /** Returns the size of the terminal that standard error is. */
    static Size size() {
        return size(STANDARD_ERROR);
    }

    /** Returns how many columns the terminal has that standard output is; 80 where it is none. */
    public static int outputColumns() {
        return (Boolean.getBoolean(OUTPUT) ? size(STANDARD_OUTPUT) : USUAL).getColumns();
    }

    /**
     * Says whether a standard stream is a terminal, by its number.
     *
     * @throws LinkageError where there is no library for this platform, or no place to unpack it to
     */
    public static boolean isTerminal(int stream) {
        Library.load();
        return CLibrary.isatty(stream) == 1;
    }

    private static Size size(int stream) {
        try {
            Library.load();
            CLibrary.WinSize found = new CLibrary.WinSize();
            boolean known =
                    CLibrary.ioctl(stream, CLibrary.TIOCGWINSZ, found) == 0 && found.ws_col > 0 && found.ws_row > 0;
            return known ? new Size(found.ws_col, found.ws_row) : USUAL;
        } catch (Exception | LinkageError e) {
            // No library for this platform, or no place to unpack it to.
            return USUAL;
        }
    }

    /** Returns how the report is shown: in colours where standard output is a terminal that is to have them. */
    public static Paint paint() {
        return paint(Boolean.getBoolean(OUTPUT), System.getenv("NO_COLOR"), System.getenv("TERM"));
    }

    /**
     * @param noColour the variable NO_COLOR, see no-color.org; null where it is not set
     * @param kind the variable TERM
     */
    static Paint paint(boolean terminal, String noColour, String kind) {
        boolean plain = !terminal || forbids(noColour) || !isCapable(kind);
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
