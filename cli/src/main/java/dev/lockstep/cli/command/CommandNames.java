package dev.lockstep.cli.command;

import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;

/**
 * What this program was called as, and the command that was meant by a mistyped one, which picocli takes for the
 * capture of a replay.
 */
public final class CommandNames {
    /** Words of fewer characters are like too many others. */
    private static final int LONG_WORD = 5;

    private CommandNames() {}

    /** Returns how ./replay was called, as the first word of a command that people type. */
    public static String program() {
        return System.getProperty("lockstep.command", "replay");
    }

    /**
     * Returns what is wrong with a command line that begins with a word that is like a command, and no file. An option
     * such as --compare is like one, too.
     */
    public static Optional<String> mistyped(CommandLine line, List<String> args) {
        Collection<String> names = line.getSubcommands().keySet();
        String first = args.isEmpty() ? "" : args.get(0);
        boolean isMistyped = !names.contains(first)
                && !line.getCommandSpec().optionsMap().containsKey(first)
                && !nearest(first, names).isEmpty()
                && !Files.exists(Paths.get(first));
        return isMistyped ? Optional.of(unknown(first, names)) : Optional.empty();
    }

    /** Returns that there is no such command, and which one may be meant. */
    public static String unknown(String word, Collection<String> names) {
        List<String> nearest = nearest(word, names);
        return "unknown command '" + word + "'; "
                + (nearest.isEmpty()
                        ? "the commands are " + String.join(", ", names)
                        : "did you mean " + String.join(" or ", nearest) + "?");
    }

    /** Returns the names that are a slip of the fingers away: one letter, or two of a longer word. */
    public static List<String> nearest(String word, Collection<String> names) {
        List<String> nearest = new ArrayList<>();
        int most = word.length() < LONG_WORD ? 1 : 2;
        for (String name : names) {
            int distance = distance(word, name);
            if (distance < most) {
                nearest.clear();
                most = distance;
            }
            if (distance == most) {
                nearest.add(name);
            }
        }
        return nearest;
    }

    /** Letters to add, to leave out, to replace and neighbours to swap (optimal string alignment). */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int differs = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + differs);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
