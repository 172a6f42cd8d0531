package dev.lockstep.measurement;

import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Writes amounts for people, the same on every screen and page: counts with their noun, bytes and durations in a unit
 * that keeps them short, memory, and when something was.
 */
public final class Quantities {
    private static final double BYTES_PER_MIB = 1 << 20;
    private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ssXXX", Locale.ROOT);
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

    /** Returns "6026 MiB": memory of a process, in powers of 1024. */
    public static String mebibytes(long bytes) {
        return Math.round(bytes / BYTES_PER_MIB) + " MiB";
    }

    /** Returns "11.8 GiB": memory of a machine. */
    public static String gibibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f GiB", bytes / BYTES_PER_MIB / 1024);
    }

    /** Returns "2026-11-02 07:42:00+01:00", "2026-11-02 06:42:00Z". */
    public static String moment(OffsetDateTime time) {
        return MOMENT.format(time);
    }

    /** Returns "850 ns", "1.5 us", "10.0 ms": how late something was, and how late it may be. */
    public static String lag(long ns) {
        return ns < 1000
                ? ns + " ns"
                : ns < 1_000_000
                        ? String.format(Locale.ROOT, "%.1f us", ns / 1e3)
                        : String.format(Locale.ROOT, "%.1f ms", ns / 1e6);
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
