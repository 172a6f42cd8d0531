package dev.lockstep.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.lockstep.results.CodeKind;
import dev.lockstep.results.HotMethods;
import dev.lockstep.results.HotMethods.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class HotSummaryTest {
    private static Target target(String name) {
        return Target.profiled(
                name, "async-profiler 4.5", "ctimer", 1000, 4_000_000_000L, OptionalDouble.empty(), null);
    }

    private static List<String> lacks(HotMethods.Samples samples) {
        List<String> lines = new ArrayList<>();
        for (JsonNode line : new HotSummary(samples.build(100)).document().get("lacks")) {
            lines.add(line.asText());
        }
        return lines;
    }

    @Test
    void knowsTheSameStubUnderTheNamesOfTwoCompilers() {
        HotMethods.Samples samples = HotMethods.collect()
                .target(target("c2"))
                .target(target("graal"))
                .samples("ghash_processBlocks", CodeKind.STUB, "c2", 166)
                .samples("counterMode_AESCrypt", CodeKind.STUB, "c2", 102)
                .samples("sha256_implCompressMB", CodeKind.STUB, "c2", 30)
                .samples("Stub<IntrinsicStubsGen.ghashProcessBlocks>", CodeKind.STUB, "graal", 30)
                .samples("Stub<IntrinsicStubsGen.ctrAESCrypt>", CodeKind.STUB, "graal", 50);

        assertEquals(List.of("Stubs used by c2, not by graal: sha256_implCompressMB 3.0 %"), lacks(samples));
    }

    @Test
    void saysWhyATargetHasNoProfile() {
        HotMethods.Samples samples = HotMethods.collect()
                .target(target("c2"))
                .target(Target.absent("graal", "it died while it was profiled"))
                .samples("ghash_processBlocks", CodeKind.STUB, "c2", 166);

        assertEquals(List.of("Profile of graal: it died while it was profiled"), lacks(samples));
    }

    @Test
    void takesAStraySampleForNoUse() {
        HotMethods.Samples samples = HotMethods.collect()
                .target(target("c2"))
                .target(target("without"))
                .samples("ghash_processBlocks", CodeKind.STUB, "c2", 460)
                .samples("ghash_processBlocks", CodeKind.STUB, "without", 1)
                .samples("java.lang.String.hashCode", CodeKind.COMPILED, "c2", 20)
                .samples("java.lang.String.hashCode", CodeKind.COMPILED, "without", 5);

        assertEquals(List.of("Stubs used by c2, not by without: ghash_processBlocks 46.0 %"), lacks(samples));
    }

    @Test
    void saysThatTargetsThatStillCompileMayLackAStubForThat() {
        HotMethods.Samples samples = HotMethods.collect()
                .target(target("c2"))
                .target(target("graal"))
                .samples("[JIT compiler threads]", CodeKind.VM_THREADS, "c2", 20)
                .samples("[JIT compiler threads]", CodeKind.VM_THREADS, "graal", 543)
                .samples("ghash_processBlocks", CodeKind.STUB, "c2", 172);

        assertEquals(
                List.of(
                        "Spent on compiling: graal 54 %. What is missing below may be in code that was not compiled yet.",
                        "Stubs used by c2, not by graal: ghash_processBlocks 17.2 %"),
                lacks(samples));
    }
}
