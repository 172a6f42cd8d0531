package dev.lockstep.conversion;

import java.util.Locale;

/** Tells and counts requests that were sent by a newer HTTP than the one they are written in. */
final class Multiplexed {
    private Multiplexed() {}

    /** Tells whether a request ran beside others on its connection, which no request of HTTP/1.1 does. */
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
