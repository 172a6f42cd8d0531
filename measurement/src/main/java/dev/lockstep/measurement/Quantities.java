package dev.lockstep.measurement;

import java.util.Locale;

/** Writes amounts for people: counts with their noun, bytes and times in a unit that keeps them short. */
public final class Quantities {
    private static final String[] BYTE_UNITS = {"kB", "MB", "GB", "TB", "PB", "EB"};

    private Quantities() {}

    /** Returns "1 request", "2 requests". */
    public static String count(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /** Returns "512 bytes", "1.5 MB"; powers of 1000. */
    public static String bytes(long bytes) {
        if (bytes < 1000) {
            return count(bytes, "byte");
        }
        double amount = bytes;
        int unit = -1;
        while (amount >= 999.95) {
            amount /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", amount, BYTE_UNITS[unit]);
    }

    /** Returns "12.3 s", "2 min 5 s", "850 ms", "47 h 5 min", "3 days 2 h". */
    public static String duration(long ns) {
        if (ns < 1_000_000_000L) {
            return ns / 1_000_000 + " ms";
        }
        if (ns < 60_000_000_000L) {
            return String.format(Locale.ROOT, "%.1f s", ns / 1e9);
        }
        long seconds = ns / 1_000_000_000L;
        if (seconds < 3600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        long hours = seconds / 3600;
        return hours < 48 ? hours + " h " + seconds / 60 % 60 + " min" : hours / 24 + " days " + hours % 24 + " h";
    }
}
