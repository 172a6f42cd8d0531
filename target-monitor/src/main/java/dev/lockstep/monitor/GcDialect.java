package dev.lockstep.monitor;

/** Understands the lines of one format and adds them to an account. Used by one thread. */
interface GcDialect {
    /** Takes the next line, without its end. */
    void line(String line);

    /** Takes note that the next line is the first of another JVM's log. */
    void newLog();

    /** Takes note that lines before the next one are missing. */
    default void gap() {}

    static GcDialect of(GcLogFormat format, GcAccount account, GcClock clock) {
        switch (format) {
            case UNIFIED:
                return new UnifiedGcDialect(account, clock);
            case JDK8:
                return new Jdk8GcDialect(account, clock);
            case OPENJ9:
                return new OpenJ9GcDialect(account, clock);
            case ZING:
                return new ZingGcDialect(account, clock);
            default:
                throw new IllegalArgumentException("no such format: " + format);
        }
    }
}
