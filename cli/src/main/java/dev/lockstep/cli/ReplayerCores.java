package dev.lockstep.cli;

import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.CpuList;

/**
 * How the replayer's processors are divided among its own threads: its event loops get one each, the other threads of its
 * JVM (compiler, garbage collector, the run's) what is left. Immutable.
 *
 * <p>Of several processors that no target has, the last is left to the other threads: two targets on one loop cost each
 * other microseconds, a compiler thread on a loop's processor costs milliseconds. A processor that the user gave to both
 * the replayer and the targets, as in {@code --cores 0,1/1}, gets no loop.
 */
final class ReplayerCores {
    private final CpuList loops;
    private final CpuList others;
    private final boolean own;

    private ReplayerCores(CpuList loops, CpuList others, boolean own) {
        this.loops = loops;
        this.others = others;
        this.own = own;
    }

    /**
     * @param atOnce how many targets get load at the same time
     * @param elsewhere whether no target was started here, so that only the user can know where they run
     */
    static ReplayerCores of(Cores cores, int atOnce, boolean elsewhere) {
        CpuList all = cores.replayer();
        CpuList free = all.minus(cores.targets());
        boolean own = !free.isEmpty() || elsewhere;
        if (free.isEmpty()) {
            free = all;
        }
        CpuList shared = all.minus(free);
        int kept = shared.isEmpty() && free.size() > 1 ? 1 : 0;
        int count = own ? Math.min(atOnce, free.size() - kept) : 1;
        CpuList loops = CpuList.of();
        for (int cpu : free.toList().subList(0, count)) {
            loops = loops.plus(CpuList.of(cpu));
        }
        CpuList left = free.minus(loops);
        return new ReplayerCores(loops, left.isEmpty() ? shared : left, own);
    }

    /** Returns the processors of the event loops, one each. */
    CpuList loops() {
        return loops;
    }

    /** Returns the processors of all other threads; empty where they have none but the loops'. */
    CpuList others() {
        return others;
    }

    /** Tells whether no target runs on the loops' processors, so that a loop may spin. */
    boolean own() {
        return own;
    }
}
