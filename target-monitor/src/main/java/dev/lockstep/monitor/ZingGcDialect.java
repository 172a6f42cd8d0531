package dev.lockstep.monitor;

/**
 * Azul Zing's (Platform Prime's) log, as far as Azul documents it: "Monitoring Azul Platform Prime" has the lines with
 * which it says how long the application stood, in its classic form and within unified logging, and that these are all
 * its pauses. Used by one thread.
 *
 * <p>Its lines about cycles ({@code [GC ...]} with fields named in the log's header) are not documented field by field,
 * so cycles, allocation and levels are absent rather than guessed.
 */
final class ZingGcDialect implements GcDialect {
    private static final String COLLECTOR = "Zing";
    /** From its header, as in Azul's "Garbage Collector Log File". */
    private static final String START_TIME = "[GCHH : start time ms : ";

    private final GcAccount account;
    private final GcClock clock;

    ZingGcDialect(GcAccount account, GcClock clock) {
        this.account = account;
        this.clock = clock;
    }

    @Override
    public void newLog() {
        // No line depends on another.
    }

    @Override
    public void line(String line) {
        boolean unified = line.startsWith("[");
        UnifiedStamp decorated = unified ? UnifiedStamp.read(line, clock) : null;
        if (unified && decorated == null) {
            account.damaged();
            return;
        }
        Jdk8Stamp plain = unified ? null : Jdk8Stamp.read(line, clock);
        String text = unified ? decorated.text() : plain.text();
        long stoppedNs;
        if (text.startsWith(SafepointLine.START)) {
            stoppedNs = SafepointLine.stoppedNs(text);
        } else if (text.startsWith("Safepoint \"")) {
            stoppedNs = SafepointLine.totalNs(text);
        } else {
            int start = text.indexOf(START_TIME);
            int end = text.indexOf(' ', start + START_TIME.length());
            if (start >= 0 && end >= 0) {
                clock.jvmStartedAt(GcText.number(text, start + START_TIME.length(), end));
            }
            return;
        }
        if (stoppedNs < 0) {
            account.damaged();
            return;
        }
        long endNs = unified ? decorated.timeNs() : plain.timeNs();
        account.safepoint(endNs, stoppedNs);
        account.pause(COLLECTOR, "stopped", null, endNs, stoppedNs, stoppedNs);
    }
}
