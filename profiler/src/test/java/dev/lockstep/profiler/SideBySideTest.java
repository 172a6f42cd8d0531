package dev.lockstep.profiler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.CodeKind;
import dev.lockstep.results.HotMethods;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class SideBySideTest {
    @Test
    void putsTheMethodsOfAllTargetsBesideEachOther() throws IOException {
        StackProfile c2 = TestingStacks.profile("a.B.run_[j];a.C.get_[i] 60\n"
                + "a.B.run_[j];a.C.get_[j] 10\na.B.run_[j];sha_implCompress_[s] 20\n[GC threads];x 6\n"
                + "[GC threads];y 4\n");
        StackProfile graal = TestingStacks.profile("a.B.run_[j];a.C.get_[j] 100\na.B.run_[0] 100\n");
        List<HotMethods.Target> targets = List.of(
                HotMethods.Target.profiled(
                        "c2", "async-profiler 4.5", "ctimer", 100, 10, OptionalDouble.of(1000), null),
                HotMethods.Target.absent("prod", "it runs already"),
                HotMethods.Target.profiled(
                        "graal", "async-profiler 4.5", "ctimer", 200, 10, OptionalDouble.empty(), null));

        HotMethods hot = SideBySide.of(targets, Map.of("c2", c2, "graal", graal), 3);

        assertEquals(
                List.of("a.C.get", "a.B.run", "sha_implCompress"),
                hot.methods().stream().map(HotMethods.Method::name).collect(Collectors.toList()));
        assertEquals(1, hot.methodsLeftOut());
        HotMethods.Method get = hot.methods().get(0);
        assertEquals(70, get.samples("c2"));
        assertEquals(0.5, HotMethods.share(get, targets.get(2)).getAsDouble());
        assertEquals(CodeKind.INLINED, get.kind("c2").orElseThrow());
        assertEquals(CodeKind.COMPILED, get.kind("graal").orElseThrow());
        assertEquals(700, HotMethods.cpuNsPerRequest(get, targets.get(0)).getAsDouble(), 1e-9);
        assertTrue(HotMethods.cpuNsPerRequest(get, targets.get(2)).isEmpty());
        assertTrue(HotMethods.share(get, targets.get(1)).isEmpty());
    }
}
