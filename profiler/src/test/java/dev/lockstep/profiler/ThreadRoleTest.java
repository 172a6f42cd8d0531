package dev.lockstep.profiler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ThreadRoleTest {
    @ParameterizedTest
    @CsvSource({
        "C2 CompilerThread0, JIT",
        "C2 CompilerThre, JIT",
        "C1 CompilerThre, JIT",
        "JVMCI-native CompilerThread0, JIT",
        "JVMCI CompilerThread0, JIT",
        "JIT Compilation Thread-000, JIT",
        "GC Thread#0, GC",
        "G1 Conc#0, GC",
        "G1 Service, GC",
        "GC task thread#0 (ParallelGC), GC",
        "ZWorkerYoung#0, GC",
        "XDriver, GC",
        "RuntimeWorker#0, GC",
        "CMS Main Thread, GC",
        "CMS Thread#0, GC",
        "Shenandoah GC T, GC",
        "VM Thread, VM",
        "VM Periodic Tas, VM",
        "Sweeper thread, VM",
        "JFR Periodic Tasks, VM",
        "vert.x-eventloop-thread-0, APPLICATION",
        "main, APPLICATION",
        "Zookeeper-1, APPLICATION",
        "GCounter, APPLICATION",
        "CMS pages, APPLICATION",
        "'', APPLICATION",
    })
    void isToldByTheNameEvenWhereTheKernelHasCutIt(String name, ThreadRole role) {
        assertEquals(role, ThreadRole.of(name));
    }
}
