package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.CodeKind;
import dev.lockstep.results.HotMethods;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class HotMethodTableTest {
    private static final String ASYNC = "async-profiler 4.5";

    private static HotMethods.Target target(String name, long samples, double cpuNsPerRequest) {
        return HotMethods.Target.profiled(
                name, ASYNC, "ctimer", samples, 10_012_000_000L, OptionalDouble.of(cpuNsPerRequest), null);
    }

    private static String golden() throws IOException {
        try (InputStream in = HotMethodTableTest.class.getResourceAsStream("hot-methods.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void looksLikeTheGoldenFile() throws IOException {
        HotMethods.Samples hot = HotMethods.collect()
                .target(target("c2", 2000, 120_000))
                .target(target("graal", 4000, 260_000))
                .target(HotMethods.Target.absent("prod", "it runs already"))
                .samples("dev.lockstep.app.LuWork.factor", CodeKind.INLINED, "c2", 400)
                .samples("dev.lockstep.app.LuWork.factor", CodeKind.COMPILED, "graal", 2400)
                .samples("galoisCounterMode_AESCrypt", CodeKind.STUB, "c2", 600)
                .samples("ghash_processBlocks", CodeKind.STUB, "c2", 19)
                .samples("ghash_processBlocks", CodeKind.STUB, "graal", 41)
                .samples(
                        "com.sun.crypto.provider.a.very.long.package_.of.another.world.GaloisCounterMode.implGCMCrypt0",
                        CodeKind.COMPILED,
                        "graal",
                        500)
                .samples("[JIT compiler threads]", CodeKind.VM_THREADS, "c2", 100)
                .samples("[JIT compiler threads]", CodeKind.VM_THREADS, "graal", 800)
                .samples("write (libc.so.6)", CodeKind.NATIVE, "c2", 100)
                .samples("write (libc.so.6)", CodeKind.NATIVE, "graal", 100)
                .samples("evil\u001b[31m.Name", CodeKind.INTERPRETED, "c2", 5);
        for (int i = 0; i < 20; i++) {
            hot.samples("a.Few.few" + i, CodeKind.COMPILED, "c2", 2);
        }

        String table = new HotMethodTable(hot.build(25), "c2").toString();

        assertEquals(golden(), table);
        assertTrue(table.lines().allMatch(line -> line.length() <= 80), table);
    }

    @Test
    void comparesSharesWhereTheCpuTimePerRequestIsNotKnown() {
        HotMethods hot = HotMethods.collect()
                .target(target("c2", 100, 1000))
                .target(HotMethods.Target.profiled(
                        "zero", ASYNC, "ctimer", 200, 5_000_000_000L, OptionalDouble.empty(), "no JIT"))
                .samples("a.B.c", CodeKind.COMPILED, "c2", 10)
                .samples("a.B.c", CodeKind.INTERPRETED, "zero", 40)
                .samples("aes", CodeKind.STUB, "c2", 90)
                .build(20);

        assertEquals(
                "Hot methods (profiled apart from the run: no figure of the run comes from it)\n"
                        + "  c2: 100 samples in 10.0 s by async-profiler 4.5 (ctimer)\n"
                        + "  zero: 200 samples in 5.0 s by async-profiler 4.5 (ctimer)\n"
                        + "    no JIT\n"
                        + "  c2 %  zero %  ratio  kind                  method\n"
                        + "  90.0       -      -  stub                  aes\n"
                        + "  10.0    20.0  2.000  compiled/interpreted  a.B.c\n"
                        + "  %: of the samples, in the method's own code. Ratio: of the %.\n"
                        + "  Only c2: aes 90.0 %\n"
                        + "  Stubs and intrinsics of c2: aes 90.0 %\n",
                new HotMethodTable(hot, "c2").toString());
    }

    @Test
    void comparesNoSamplesOfAnotherProfilerAndSaysSo() {
        HotMethodRows hot = HotMethodRows.of(
                HotMethods.collect()
                        .target(target("c2", 100, 1000))
                        .target(target("graal", 100, 2000))
                        .target(HotMethods.Target.profiled(
                                "zero",
                                "JFR",
                                "jdk.ExecutionSample",
                                200,
                                5_000_000_000L,
                                OptionalDouble.of(9000),
                                null))
                        .samples("a.B.c", CodeKind.COMPILED, "c2", 50)
                        .samples("a.B.c", CodeKind.COMPILED, "graal", 50)
                        .samples("a.B.c", CodeKind.INTERPRETED, "zero", 150)
                        .build(20),
                "c2");

        assertEquals(List.of("c2 %", "us", "graal %", "us", "ratio", "zero %", "us"), hot.headings());
        assertEquals(7, hot.rows(1).get(0).cells().size());
        assertTrue(
                hot.legend()
                        .endsWith(
                                " Ratio: of the us. No ratio of zero to c2: another profiler or event took the samples."),
                hot.legend());
    }

    /** The lines were longer than a terminal. */
    @Test
    void goesOnBelowWithTargetsThatDoNotFit() {
        HotMethods.Samples hot = HotMethods.collect();
        for (int i = 1; i <= 8; i++) {
            hot.target(target("service-on-jdk-" + i, 100, 1000));
            hot.samples("a.B.c", CodeKind.COMPILED, "service-on-jdk-" + i, 50);
        }

        String table = new HotMethodTable(hot.build(20), "service-on-jdk-1").toString();

        assertTrue(
                table.contains("  service-on-jdk-1 %     us  service-on-jdk-2 %     us  ratio  kind      method\n"
                        + "                50.0  0.500                50.0  0.500  1.000  compiled  a.B.c\n"
                        + "\n"
                        + "  service-on-jdk-3 %     us  ratio  kind      method\n"),
                table);
        assertTrue(table.contains("  service-on-jdk-8 %     us  ratio  kind      method\n"), table);
        assertTrue(table.lines().allMatch(line -> line.length() <= 80), table);
    }

    @Test
    void namesAsManyStubsAsFitAndCutsNoneApart() {
        HotMethods.Samples hot = HotMethods.collect().target(target("c2", 1000, 1000));
        for (int i = 0; i < 40; i++) {
            hot.samples("stub_" + (char) ('a' + i % 26) + i, CodeKind.STUB, "c2", 25);
        }

        String table = new HotMethodTable(hot.build(40), "c2").toString();

        assertEquals(
                "  Stubs and intrinsics of c2: stub_a0 2.5 %, stub_a26 2.5 %, stub_b1 2.5 %,\n"
                        + "    stub_b27 2.5 %, stub_c2 2.5 %, 35 more\n",
                table.substring(table.indexOf("  Stubs and")));
    }

    @Test
    void saysWhyThereIsNoProfile() {
        HotMethods hot = HotMethods.collect()
                .target(HotMethods.Target.absent("c2", "async-profiler left no recording"))
                .build(20);

        assertEquals(
                "Hot methods (profiled apart from the run: no figure of the run comes from it)\n"
                        + "  c2: not profiled: async-profiler left no recording\n",
                new HotMethodTable(hot, "c2").toString());
    }

    @Test
    void cutsPackagesBeforeItCutsNames() {
        HotMethodRows.Row get = row("java.util.HashMap.get", CodeKind.COMPILED);
        assertEquals("java.util.HashMap.get", get.name(30));
        assertEquals("j.util.HashMap.get", get.name(20));
        assertEquals("j.u.HashMap.get", get.name(15));
        assertEquals("j.u.HashMa...", get.name(13));
        assertEquals(
                "a long C++ na...",
                row("a long C++ name.with (libjvm.so)", CodeKind.NATIVE).name(16));
    }

    @Test
    void takesNoDotOfTheKernelForAPackage() {
        HotMethodRows.Row kernel = row("finish_task_switch.isra.0", CodeKind.KERNEL);
        assertEquals("finish_task_sw...", kernel.name(17));
        assertEquals("finish_task_switch.isra.0", kernel.nameWithShortPackages(17));
    }

    private static HotMethodRows.Row row(String name, CodeKind kind) {
        HotMethods hot = HotMethods.collect()
                .target(target("c2", 100, 1000))
                .samples(name, kind, "c2", 10)
                .build(20);
        return HotMethodRows.of(hot, "c2").rows(20).get(0);
    }
}
