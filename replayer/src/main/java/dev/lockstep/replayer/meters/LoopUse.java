package dev.lockstep.replayer.meters;

import dev.lockstep.measurement.LatencyRecorder;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.SelfReport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;

/**
 * What one event loop used, over all measured rounds. On the loop's thread; {@link #report} and {@link #stalledNs} come
 * between rounds.
 */
public final class LoopUse {
    private static final Path SCHEDULING = Path.of("/proc/thread-self/schedstat");
    private static final Path STATUS = Path.of("/proc/thread-self/status");
    private static final Path ALL_CPUS = Path.of("/proc/stat");
    /** The kernel gives the times of processors in hundredths of a second, whatever its own clock. */
    private static final long TICK_NS = 10_000_000;

    private static final int IDLE = 4;
    private static final int WAITING_FOR_DISK = 5;
    private static final int STOLEN = 8;

    /** Stands for what the machine does not tell. */
    private static final long UNKNOWN = -1;

    private static final class Sample {
        final long cpuNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        final long waitedNs = waitedNs();
        long coreBusyNs = UNKNOWN;
        long coreStolenNs = UNKNOWN;
    }

    private final Histogram stalls = LatencyRecorder.newHistogram();
    /** All that it polled in vain, and how much of that while it was watched. */
    private long polledNs;

    private long pollingNs;

    private boolean running;
    private Sample start;
    private long startPolledNs;
    private long cpuNs;
    private long waitedNs;
    private long coreBusyNs;
    private long coreStolenNs;
    private String cpus;

    public void start() {
        cpus = cpus();
        start = sample();
        startPolledNs = polledNs;
        running = true;
    }

    public void stop() {
        running = false;
        Sample end = sample();
        cpuNs += end.cpuNs - start.cpuNs;
        pollingNs += polledNs - startPolledNs;
        waitedNs = sum(waitedNs, start.waitedNs, end.waitedNs);
        coreBusyNs = sum(coreBusyNs, start.coreBusyNs, end.coreBusyNs);
        coreStolenNs = sum(coreStolenNs, start.coreStolenNs, end.coreStolenNs);
    }

    private static long sum(long total, long from, long to) {
        return total == UNKNOWN || from == UNKNOWN || to == UNKNOWN ? UNKNOWN : total + to - from;
    }

    /** Notes how long a turn took that did not end in sleep. Runs per turn. */
    public void turn(long sinceLastNs, boolean lastDidNothing) {
        if (lastDidNothing) {
            polledNs += sinceLastNs;
        }
        if (running && sinceLastNs >= SelfWatch.STALL_NS) {
            stalls.recordValue(sinceLastNs);
        }
    }

    /**
     * Returns for how long it was busy since its thread began, watched or not: with something to send or to read, or
     * waiting for its processor. On the loop's thread.
     */
    public long busyNs() {
        Sample now = new Sample();
        return now.cpuNs - polledNs + Math.max(0, now.waitedNs);
    }

    SelfReport.Loop report() {
        return SelfReport.Loop.of(
                cpus,
                cpuNs,
                Math.max(0, cpuNs - pollingNs) + Math.max(0, waitedNs),
                known(waitedNs),
                known(coreBusyNs),
                known(coreStolenNs),
                Percentiles.of(stalls));
    }

    /** How long the stalls of this length and more took together. */
    long stalledNs(long leastNs) {
        long total = 0;
        for (var value : stalls.recordedValues()) {
            if (value.getValueIteratedTo() >= leastNs) {
                total += value.getValueIteratedTo() * value.getCountAtValueIteratedTo();
            }
        }
        return total;
    }

    private static OptionalLong known(long value) {
        return value == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(value);
    }

    private Sample sample() {
        Sample sample = new Sample();
        if (cpus != null && cpus.chars().allMatch(Character::isDigit)) {
            readCore("cpu" + cpus + " ", sample);
        }
        return sample;
    }

    private static long waitedNs() {
        try {
            return Long.parseLong(Files.readString(SCHEDULING).strip().split(" ")[1]);
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return UNKNOWN;
        }
    }

    private static String cpus() {
        String key = "Cpus_allowed_list:";
        try {
            return Files.readAllLines(STATUS).stream()
                    .filter(line -> line.startsWith(key))
                    .map(line -> line.substring(key.length()).strip())
                    .findFirst()
                    .orElse(null);
        } catch (IOException e) {
            // Another system than Linux.
            return null;
        }
    }

    private static void readCore(String name, Sample into) {
        try {
            for (String line : Files.readAllLines(ALL_CPUS)) {
                if (line.startsWith(name)) {
                    String[] ticks = line.split(" +");
                    long busy = 0;
                    for (int i = 1; i <= STOLEN; i++) {
                        if (i != IDLE && i != WAITING_FOR_DISK && i != STOLEN) {
                            busy += Long.parseLong(ticks[i]);
                        }
                    }
                    into.coreBusyNs = busy * TICK_NS;
                    into.coreStolenNs = Long.parseLong(ticks[STOLEN]) * TICK_NS;
                }
            }
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            // A system that tells less: these two are absent then.
            into.coreBusyNs = UNKNOWN;
            into.coreStolenNs = UNKNOWN;
        }
    }
}
