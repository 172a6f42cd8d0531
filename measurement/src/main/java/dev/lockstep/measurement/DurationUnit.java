package dev.lockstep.measurement;

/** A unit in which people write how long something takes, the shortest first. */
public enum DurationUnit {
    NANOSECONDS("ns", 1),
    MICROSECONDS("us", 1_000),
    MILLISECONDS("ms", 1_000_000),
    SECONDS("s", 1_000_000_000),
    MINUTES("m", 60_000_000_000L),
    HOURS("h", 3_600_000_000_000L);

    private final String key;
    private final long ns;

    DurationUnit(String key, long ns) {
        this.key = key;
        this.ns = ns;
    }

    /** Returns the unit that is written so; throws IllegalArgumentException where there is none. */
    public static DurationUnit of(String key) {
        for (DurationUnit unit : values()) {
            if (unit.key.equals(key)) {
                return unit;
            }
        }
        throw new IllegalArgumentException("unit must be ns, us, ms, s, m or h, is " + Rules.quote(key));
    }

    /** Returns how it is written behind a number. */
    public String key() {
        return key;
    }

    public long ns() {
        return ns;
    }
}
