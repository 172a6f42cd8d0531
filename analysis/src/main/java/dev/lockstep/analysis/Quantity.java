package dev.lockstep.analysis;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What the values of a metric are: their unit inside, and the units in which people write and read them. */
public enum Quantity {
    /** Nanoseconds. */
    TIME(true, "ns", 1, "us", 1e3, "ms", 1e6, "s", 1e9),
    /** Bytes. */
    SIZE(true, "B", 1, "kB", 1e3, "MB", 1e6, "GB", 1e9, "KiB", 1024, "MiB", 1048576, "GiB", 1073741824),
    /** A part of a whole, 1 being all of it. */
    SHARE(false, "%", 0.01),
    /** A number without a unit, such as a count or a rate of requests. */
    NUMBER(false);

    private final boolean unitNeeded;
    private final Map<String, Double> units = new LinkedHashMap<>();

    Quantity(boolean unitNeeded, Object... units) {
        this.unitNeeded = unitNeeded;
        for (int i = 0; i < units.length; i += 2) {
            this.units.put((String) units[i], ((Number) units[i + 1]).doubleValue());
        }
    }

    /** Says whether a number without a unit means nothing. */
    boolean unitNeeded() {
        return unitNeeded;
    }

    /** Returns how many of the unit inside each unit is, by name. */
    Map<String, Double> units() {
        return units;
    }

    /** Returns a value for people, for example {@code 18.2 ms}. */
    String format(double value) {
        String unit = "";
        double size = 1;
        for (Map.Entry<String, Double> one : units.entrySet()) {
            boolean decimal = !one.getKey().contains("i");
            if (unit.isEmpty() || decimal && Math.abs(value) >= one.getValue()) {
                unit = " " + one.getKey();
                size = one.getValue();
            }
        }
        return number(value / size) + unit;
    }

    private static String number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return String.valueOf((long) value);
        }
        String text = String.format(Locale.ROOT, "%.6g", value);
        if (text.contains("e")) {
            return String.valueOf(value);
        }
        // Of a number without decimals each 0 counts.
        return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
    }
}
