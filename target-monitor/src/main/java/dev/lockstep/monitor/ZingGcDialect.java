package dev.lockstep.monitor;

/**
 * Azul Zing's (Platform Prime's) log, as far as Azul documents it: "Monitoring Azul Platform Prime" has the lines with
 * which it says how long the application stood, in its classic form and within unified logging, and that these are all
 * its pauses. Used by one thread.
 *
 * <p>Its lines about cycles ({@code [GC ...]} with fields named in the log's header) are not documented field by field,
 * so cycles, allocation and levels are absent rather than guessed.
 */
final class ZingGcDialect extends GcDialect {
    private static final String COLLECTOR = "Zing";
    /** From its header, as in Azul's "Garbage Collector Log File". */
    private static final String START_TIME = "[GCHH : start time ms : ";

    ZingGcDialect(GcAccount account, GcClock clock) {
        super(account, clock);
    }

    @Override
    void line(String line) {
        GcStamp stamp = line.startsWith("[") ? GcStamp.unified(line, clock) : GcStamp.jdk8(line, clock);
        if (stamp == null) {
            account.damaged();
            return;
        }
        long stoppedNs = SafepointLine.stoppedNs(stamp.text);
        if (stoppedNs == SafepointLine.NONE) {
            int start = stamp.text.indexOf(START_TIME);
            int end = stamp.text.indexOf(' ', start + START_TIME.length());
            if (start >= 0 && end >= 0) {
                clock.jvmStartedAt(GcText.number(stamp.text, start + START_TIME.length(), end));
            }
            return;
        }
        account.safepoint(stamp.timeNs, stoppedNs);
        if (stoppedNs >= 0) {
            account.pause(COLLECTOR, stamp.timeNs, stoppedNs, stoppedNs);
        }
    }
}
