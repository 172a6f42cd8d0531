package dev.lockstep.monitor;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.util.Optional;

/**
 * What a process's processors did, whoever ran on them, from the lines {@code cpuN} of {@code /proc/stat}. The kernel
 * counts there in hundredths of a second. Used by one thread.
 *
 * <p>The processors are those of the first sample: totals over other ones could not be compared with them.
 */
final class ProcessorTimes {
    static final long NS_PER_TICK = 10_000_000;

    /** What one line says, in ticks. Immutable. */
    static final class Ticks {
        /** Places after the name: user, nice, system, idle, waiting for a disk, two of interrupts, stolen. */
        private static final int IDLE = 3;

        private static final int WAITING_FOR_DISK = 4;
        private static final int STOLEN = 7;

        final long busy;
        final long stolen;

        private Ticks(long busy, long stolen) {
            this.busy = busy;
            this.stolen = stolen;
        }

        /** Returns null for a line of another system's format. */
        static Ticks parse(String line) {
            String[] fields = line.split(" +");
            if (fields.length <= STOLEN + 1) {
                return null;
            }
            long busy = 0;
            for (int i = 0; i < STOLEN; i++) {
                busy += i == IDLE || i == WAITING_FOR_DISK ? 0 : KernelReader.parse(fields[i + 1]);
            }
            return new Ticks(busy, KernelReader.parse(fields[STOLEN + 1]));
        }
    }

    private final String file;
    /** Those that the process had at first, as the kernel lists them; null before. */
    private String cpus;
    /** Others that it had later, null for none. */
    private String others;

    /** @param file {@code /proc/stat} */
    ProcessorTimes(String file) {
        this.file = file;
    }

    /** Returns that the process was moved to other processors, as a clause; absent where it was not. */
    Optional<String> moved() {
        return Optional.ofNullable(others).map(now -> "moved from processors " + cpus + " to " + now);
    }

    /** Sets the totals; nothing where the kernel does not say, or the process has other processors than before. */
    void sample(String allowed, KernelReader reader, Costs.Builder sample) {
        cpus = cpus == null ? allowed : cpus;
        others = cpus.equals(allowed) ? others : allowed;
        String stat = cpus.equals(allowed) ? reader.read(file) : null;
        if (stat == null) {
            return;
        }
        long busyTicks = 0;
        long stolenTicks = 0;
        for (String range : cpus.split(",")) {
            String[] ends = range.split("-");
            long last = KernelReader.parse(ends[ends.length - 1]);
            for (long cpu = KernelReader.parse(ends[0]); cpu <= last; cpu++) {
                int line = stat.indexOf("\ncpu" + cpu + " ");
                int end = line < 0 ? -1 : stat.indexOf('\n', line + 1);
                Ticks ticks = end < 0 ? null : Ticks.parse(stat.substring(line + 1, end));
                if (ticks == null) {
                    // Switched off meanwhile, or another system's format.
                    return;
                }
                busyTicks += ticks.busy;
                stolenTicks += ticks.stolen;
            }
        }
        sample.set(Cost.PROCESSORS_BUSY, busyTicks * NS_PER_TICK);
        sample.set(Cost.PROCESSORS_STOLEN, stolenTicks * NS_PER_TICK);
    }
}
