package dev.lockstep.profiler;

import dev.lockstep.results.HotMethods;
import java.util.regex.Pattern;

/**
 * What a thread of a JVM does, by its name. The kernel cuts the names of threads that run no Java to 15 characters, so
 * the beginning of a name decides.
 */
enum ThreadRole {
    APPLICATION("application", ""),
    /** HotSpot's compilers, Graal as JVMCI compiler, OpenJ9's and Zing's. */
    JIT(
            HotMethods.JIT_THREADS,
            "C[12] Compiler|JVMCI|libgraal|Graal|JIT Comp|JIT Diag|JIT-Sampler|IProfiler|Falcon|Tier2"),
    /** Serial collects on the VM thread, which is therefore among {@link #VM}. */
    GC(
            "[GC threads]",
            "GC |G1 |ParGC|Gang worker|Concurrent Mark|CMS (Main )?Thread|RuntimeWorker#"
                    + "|[XZ](Worker|Driver|Director|Stat|Uncommit|Unmap|Young|Old)|Shenandoah|Epsilon|GPGC"),
    VM(
            "[VM threads]",
            "VM |Sweeper thread|CodeCache|Service Thread|Monitor Defl|Signal Disp|Notification Th|Attach Listener"
                    + "|Reference Handl|Finalizer|Common-Cleaner|JFR |JVMTI|async-profiler|Async-profiler");

    /** How its threads are called as one. */
    final String label;

    private final Pattern names;

    ThreadRole(String label, String names) {
        this.label = label;
        this.names = Pattern.compile(names.isEmpty() ? "(?!)" : names);
    }

    static ThreadRole of(String threadName) {
        for (ThreadRole role : values()) {
            if (role.names.matcher(threadName).lookingAt()) {
                return role;
            }
        }
        return APPLICATION;
    }
}
