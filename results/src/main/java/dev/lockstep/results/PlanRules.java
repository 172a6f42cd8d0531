package dev.lockstep.results;

import dev.lockstep.measurement.Rules;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Checks of what a plan names. Each refuses with the field, the rule and the value. */
final class PlanRules {
    /** Linux's largest CPU mask has 8192 bits. */
    private static final int HIGHEST_CORE = 8191;

    private static final Pattern TARGET_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}");
    private static final Pattern SEGMENT = Pattern.compile(".*\\.h[0-9]+");
    private static final Pattern ENVIRONMENT_NAME = Pattern.compile("[^=\\s\\x00]+");

    private PlanRules() {}

    /**
     * A target's name becomes a file name and a column of the report, so it has no separators or spaces; and it does
     * not end like one of the files of another target.
     */
    static void targetName(String name) {
        if (name == null || !TARGET_NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "target name must be 1 to 64 letters, digits or . _ @ + - and start with a letter or digit, is "
                            + Rules.quote(name));
        }
        for (String ending : List.of(".service", ".lag", ".own-lag", ".skew", ".gc", ".diff", ".profile")) {
            if (name.endsWith(ending)) {
                throw new IllegalArgumentException("target name must not end in " + ending
                        + ", which is kept for the files of a run directory, is " + Rules.quote(name));
            }
        }
        if (SEGMENT.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "target name must not end in .h and a number, which is kept for the files of" + " long runs, is "
                            + Rules.quote(name));
        }
    }

    static void cores(String field, List<Integer> cores) {
        for (int core : cores) {
            if (core < 0 || core > HIGHEST_CORE) {
                throw new IllegalArgumentException(
                        field + " must be numbers from 0 to " + HIGHEST_CORE + ", is " + core);
            }
        }
        if (new TreeSet<>(cores).size() < cores.size()) {
            throw new IllegalArgumentException(field + " must not name a core twice, is " + cores);
        }
    }

    /** Values of environment variables can be secrets and never reach a file, so only names are taken. */
    static void environmentNames(List<String> names) {
        for (String name : names) {
            if (!ENVIRONMENT_NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "environment must be names without values, found one with =, a space or nothing in it");
            }
        }
    }

    static void address(String address) {
        int colon = address.lastIndexOf(':');
        boolean good = colon > 0 && address.substring(colon + 1).matches("[0-9]{1,5}");
        if (good) {
            int port = Integer.parseInt(address.substring(colon + 1));
            String host = address.substring(0, colon);
            boolean bracketed = host.startsWith("[") && host.endsWith("]");
            good = port >= 1 && port <= 65535 && (bracketed || host.indexOf(':') < 0) && host.indexOf(' ') < 0;
        }
        if (!good) {
            throw new IllegalArgumentException("address must be HOST:PORT, is " + Rules.quote(address));
        }
    }
}
