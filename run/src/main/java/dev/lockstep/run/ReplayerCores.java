package dev.lockstep.run;

import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.CpuList;
import dev.lockstep.net.ThreadPlacement;
import java.util.OptionalLong;

/**
 * How the replayer's processors are divided among its own threads: its event loops get one each, the other threads of
 * its JVM (compiler, garbage collector, the run's) what is left. Immutable.
 *
 * <p>Of several processors that no target has, the last is left to the other threads: two targets on one loop cost each
 * other microseconds, a compiler thread on a loop's processor costs milliseconds. A processor that the user gave to
 * both the replayer and the targets, as in {@code --cores 0,1/1}, gets no loop.
 */
final class ReplayerCores {
    /**
     * With a core of its own a loop need not sleep between sends, since a halted virtual core wakes up late; only where
     * sends are further apart than this it does.
     */
    private static final long OWN_CORE_SPIN_NS = 20_000_000;

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

    /** Returns whether no target runs on the loops' processors, so that a loop may spin. */
    boolean own() {
        return own;
    }

    /** Returns how long before a send a loop polls instead of sleeping; absent for the replayer's own choice. */
    OptionalLong spinNs() {
        if (!own) {
            return OptionalLong.of(0);
        }
        return others.isEmpty() ? OptionalLong.empty() : OptionalLong.of(OWN_CORE_SPIN_NS);
    }

    /**
     * Returns how the threads of this process are placed. In a closed loop the event loop never sleeps: threads that
     * share its processor keep their priority, or the JIT compiler would starve.
     *
     * @param targets the processors of the targets
     */
    ThreadPlacement placement(CpuList targets, boolean closedLoop) {
        if (!own) {
            return ThreadPlacement.none();
        }
        boolean lower = others.isEmpty() ? !closedLoop : !others.and(targets).isEmpty();
        return ThreadPlacement.of(loops.toList(), others.toList(), lower);
    }
}
