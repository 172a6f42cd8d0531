package dev.lockstep.monitor;

/** Understands the lines of one format and adds them to an account. Used by one thread. */
abstract class GcDialect {
    final GcAccount account;
    final GcClock clock;

    GcDialect(GcAccount account, GcClock clock) {
        this.account = account;
        this.clock = clock;
    }

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

    /** Takes the next line, without its end. */
    abstract void line(String line);

    /** Notes that the next line is the first of another JVM's log. */
    void newLog() {
        gap();
    }

    /** Notes that lines before the next one are missing. */
    void gap() {}
}
