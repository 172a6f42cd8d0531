package dev.lockstep.conversion.imports;

import java.util.Locale;

/** Counts requests that a newer HTTP sent than the one in which they are written. */
final class Multiplexed {
    private Multiplexed() {}

    /** Whether a request ran beside others on its connection, as none of HTTP/1.1 does. */
    static boolean note(ImportFile file, String version, String place) {
        String name = version.toUpperCase(Locale.ROOT);
        String newer = name.startsWith("HTTP/2") || name.equals("H2")
                ? "HTTP/2"
                : name.startsWith("HTTP/3") || name.startsWith("H3") ? "HTTP/3" : null;
        if (newer != null) {
            file.change("sent by " + newer + ": written as HTTP/1.1", place);
        }
        return newer != null;
    }
}
