package dev.lockstep.monitor;

import java.util.regex.Pattern;

/**
 * What a thread of a JVM works for, by its name as the kernel shows it: cut to 15 characters.
 *
 * <p>The names are those of HotSpot 11 to 25 with all collectors, of Graal in a library ("JVMCI-native"), and of OpenJ9
 * by its source. JDK 8 does not pass thread names to the kernel.
 */
enum ThreadKind {
    /** Compilers, and the sweeper that frees their code. */
    JIT,
    /** Collectors, and the VM thread, which carries out the collections of SerialGC and the pauses of the others. */
    GC,
    OTHER;

    /** Every HotSpot has one, and no other JVM. */
    static final String HOTSPOT_VM_THREAD = "VM Thread";

    private static final Pattern JIT_NAMES =
            Pattern.compile("(C1 Compiler|C2 Compiler|JVMCI|Sweeper thread|JIT Compilation|JIT-Sampler|IProfiler).*");
    private static final Pattern GC_NAMES = Pattern.compile(
            "(GC Thread#|G1 |VM Thread|Shenandoah |RuntimeWorker#"
                    + "|[ZX](Worker|Driver|Director|Stat|Uncommitter|Unmapper)|ParGC|CMS |Concurrent Mark|GC Worker|GC Slave).*");

    static ThreadKind of(String name) {
        if (JIT_NAMES.matcher(name).matches()) {
            return JIT;
        }
        return GC_NAMES.matcher(name).matches() ? GC : OTHER;
    }
}
