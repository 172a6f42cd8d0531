package dev.lockstep.replayer.engine;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.replayer.ReplayConfig;
import dev.lockstep.replayer.schedule.RecordedSchedule;
import java.util.Arrays;

/** Which recorded connections a run opens, and how many of them at the same time. Stateless. */
public final class ConnectionDemand {
    private static final long NEVER = Long.MAX_VALUE;

    private ConnectionDemand() {}

    /**
     * Tells whether bytes outside requests are sent on a connection: not what stands by a hole, nor what mux has to
     * say, which its reader says by itself.
     */
    static boolean sendsOpaque(Capture capture, int connection) {
        return capture.opaqueBytes(connection) > 0 && capture.protocol(connection) != Protocol.THRIFT_MUX;
    }

    /** Tells whether bytes outside requests are sent on any connection. */
    public static boolean sendsOpaque(Capture capture) {
        for (int connection = 0; connection < capture.connectionCount(); connection++) {
            if (sendsOpaque(capture, connection)) {
                return true;
            }
        }
        return false;
    }

    /** Tells whether a recorded connection becomes one: not where it carried nothing that can be sent. */
    static boolean isReplayed(Capture capture, int connection) {
        return capture.requestCount(connection) > 0 || sendsOpaque(capture, connection);
    }

    /**
     * Returns how many connections a run opens at most at the same time to a target: the size of its pool, or the most
     * recorded connections that overlap where the target is as fast as the recorded one.
     */
    public static int mostOpen(ReplayConfig config) {
        if (config.connections() > 0) {
            return config.connections();
        }
        Capture capture = config.capture();
        RecordedSchedule schedule = RecordedSchedule.withOpaque(capture, config.speed());
        long endNs = endNs(config, schedule);
        // The end of a pass and the beginning of the next overlap.
        int overlapping = capture.requestCount() > 0 && endNs >= schedule.passStartNs(1) ? 2 : 1;
        long[] opened = new long[capture.connectionCount() * overlapping];
        long[] closed = new long[opened.length];
        int count = 0;
        for (int i = 0; i < opened.length; i++) {
            int connection = i % capture.connectionCount();
            long startNs = schedule.passStartNs(i / capture.connectionCount());
            long openedNs = startNs + Math.max(0, schedule.scaled(capture.openedNs(connection)));
            if (isReplayed(capture, connection) && openedNs <= endNs) {
                opened[count] = openedNs;
                closed[count++] = Math.max(openedNs, startNs + schedule.scaled(capture.closedNs(connection)));
            }
        }
        return mostAtOnce(Arrays.copyOf(opened, count), Arrays.copyOf(closed, count));
    }

    /** When the run sends its last request or byte, on the schedule's clock. */
    private static long endNs(ReplayConfig config, RecordedSchedule schedule) {
        long limit = config.requestLimit();
        if (limit == NEVER) {
            return config.durationNs();
        }
        long requests = config.capture().requestCount();
        // Of whole passes, bytes outside requests behind the last request are sent, too.
        boolean wholePasses = requests == 0 || limit % requests == 0;
        long passes = requests == 0 ? 1 : limit / requests;
        long limitNs = wholePasses ? schedule.passStartNs(passes) - 1 : schedule.intendedNs(limit - 1);
        return Math.min(config.durationNs(), limitNs);
    }

    private static int mostAtOnce(long[] opened, long[] closed) {
        Arrays.sort(opened);
        Arrays.sort(closed);
        int most = 0;
        int gone = 0;
        for (int i = 0; i < opened.length; i++) {
            while (closed[gone] < opened[i]) {
                gone++;
            }
            most = Math.max(most, i + 1 - gone);
        }
        return most;
    }
}
