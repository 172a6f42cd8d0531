package dev.lockstep.monitor;

import dev.lockstep.measurement.Quantities;
import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What other programs take of some of this machine's processors, from one look at {@code /proc} to the next: in a
 * container, or on a part of a large machine, others work on processors that are no concern of ours. Threads of this
 * process are not counted; processes that began or ended meanwhile are in the sum, but are not named. Immutable.
 */
public final class MachineLoad {
    /** In processors. Less is what any machine does beside its work; a tenth of one makes every tenth send late. */
    private static final double BUSY = 0.1;
    /** In processors: who takes less is not worth a name. */
    private static final double NAMED = 0.05;

    private static final int MOST_NAMED = 3;
    /** In a shorter time a single tick would count for much of a processor. */
    private static final int LEAST_TICKS = 20;

    private static final String ROOT = "/proc/";

    /** One look. Immutable. */
    public static final class Look {
        private final long atNs;
        /** Hundredths of a second since the machine started, of the processors; -1 where the kernel does not say. */
        private final long busyTicks;

        private final long stolenTicks;
        private final int processors;
        private final Map<Long, Task> tasks;

        private Look(long atNs, long busyTicks, long stolenTicks, int processors, Map<Long, Task> tasks) {
            this.atNs = atNs;
            this.busyTicks = busyTicks;
            this.stolenTicks = stolenTicks;
            this.processors = processors;
            this.tasks = tasks;
        }

        /**
         * Takes one of this machine, in a few milliseconds.
         *
         * @param cpus the processors that count, as the kernel numbers them
         */
        public static Look take(Collection<Integer> cpus) {
            return take(ROOT, System.nanoTime(), cpus);
        }

        static Look take(String root, long atNs, Collection<Integer> cpus) {
            KernelReader reader = new KernelReader();
            String stat = reader.read(root + "stat");
            long busy = 0;
            long stolen = 0;
            int processors = 0;
            for (String line : stat == null ? new String[0] : stat.split("\n")) {
                ProcessorTimes.Ticks ticks = isOf(cpus, line) ? ProcessorTimes.Ticks.parse(line) : null;
                if (ticks != null) {
                    busy += ticks.busy;
                    stolen += ticks.stolen;
                    processors++;
                }
            }
            Map<Long, Task> tasks = new HashMap<>();
            String[] names = new File(root).list((folder, name) -> Character.isDigit(name.charAt(0)));
            for (String name : names == null ? new String[0] : names) {
                String line = reader.read(root + name + "/stat");
                ProcStat process = ProcStat.parse(line);
                if (process != null) {
                    tasks.put(KernelReader.parse(name), new Task(process, line, cpus));
                }
            }
            return new Look(atNs, processors == 0 ? -1 : busy, stolen, processors, tasks);
        }

        /** Whether a line is that of one of these processors, such as "cpu7 ...". */
        private static boolean isOf(Collection<Integer> cpus, String line) {
            int blank = line.indexOf(' ');
            return line.startsWith("cpu")
                    && blank > 0
                    && cpus.contains((int) KernelReader.parse(line.substring("cpu".length(), blank)));
        }
    }

    private static final class Task {
        final long startTicks;
        final long cpuTicks;
        /** Whether its first thread ran on one of the processors last. */
        final boolean here;

        final String command;

        Task(ProcStat process, String line, Collection<Integer> cpus) {
            startTicks = process.startTicks();
            cpuTicks = process.userTicks() + process.systemTicks();
            here = process.processor() < 0 || cpus.contains(process.processor());
            // Anybody may name a process anything.
            command =
                    line.substring(line.indexOf('(') + 1, line.lastIndexOf(')')).replaceAll("[^\\x20-\\x7e]", "?");
        }
    }

    /** What one process took, in processors. */
    private static final class Share {
        final long pid;
        final String command;
        final double processors;

        Share(long pid, String command, double processors) {
            this.pid = pid;
            this.command = command;
            this.processors = processors;
        }
    }

    private final int processors;
    private final double others;
    private final double stolen;
    private final List<Share> largest;

    private MachineLoad(int processors, double others, double stolen, List<Share> largest) {
        this.processors = processors;
        this.others = others;
        this.stolen = stolen;
        this.largest = largest;
    }

    /**
     * Returns what others took from one look to another; absent where the kernel does not say, or for less than 0.2 s.
     */
    public static Optional<MachineLoad> between(Look from, Look to) {
        return between(from, to, ProcessHandle.current().pid());
    }

    static Optional<MachineLoad> between(Look from, Look to, long ownPid) {
        double ticks = (to.atNs - from.atNs) / (double) ProcessorTimes.NS_PER_TICK;
        if (from.busyTicks < 0 || to.busyTicks < 0 || ticks < LEAST_TICKS) {
            return Optional.empty();
        }
        double own = 0;
        List<Share> shares = new ArrayList<>();
        for (Map.Entry<Long, Task> entry : to.tasks.entrySet()) {
            Task before = from.tasks.get(entry.getKey());
            Task now = entry.getValue();
            if (before != null && before.startTicks == now.startTicks) {
                double share = (now.cpuTicks - before.cpuTicks) / ticks;
                if (entry.getKey() == ownPid) {
                    own = share;
                } else if (share >= NAMED && now.here) {
                    shares.add(new Share(entry.getKey(), now.command, share));
                }
            }
        }
        shares.sort(Comparator.comparingDouble((Share share) -> -share.processors));
        return Optional.of(new MachineLoad(
                to.processors,
                Math.max(0, (to.busyTicks - from.busyTicks) / ticks - own),
                (to.stolenTicks - from.stolenTicks) / ticks,
                shares.subList(0, Math.min(MOST_NAMED, shares.size()))));
    }

    /** Tells whether others take enough to make sends late and requests dearer. */
    public boolean isBusy() {
        return others >= BUSY || stolen >= BUSY;
    }

    /** Returns what others take, as a clause for people, for example "other programs take 0.98 of 2 processors". */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT, "other programs take %.2f of %s", others, Quantities.count(processors, "processor")));
        String separator = ": ";
        for (Share share : largest) {
            text.append(separator)
                    .append(String.format(
                            Locale.ROOT, "%s (pid %d) %.0f %%", share.command, share.pid, 100 * share.processors));
            separator = ", ";
        }
        if (stolen >= BUSY) {
            text.append(String.format(Locale.ROOT, "; other machines on the same host take %.2f", stolen));
        }
        return text.toString();
    }
}
