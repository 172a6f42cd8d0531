package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class JitProofTest {
    private static final String HOTSPOT = "OpenJDK 64-Bit Server VM 17.0.15, mixed mode";
    private static final Map<String, Integer> C2 =
            Map.of("java", 2, "VM Thread", 1, "C1 CompilerThre", 1, "C2 CompilerThre", 2);
    private static final Map<String, Integer> JVMCI =
            Map.of("java", 2, "VM Thread", 1, "C1 CompilerThre", 1, "JVMCI CompilerT", 1);
    private static final String LINE = "Using compiler configuration 'community' provided by somebody";

    @Test
    void provesC2ByItsThreads() {
        JitProof proof = JitProof.judge(C2, HOTSPOT, Profile.C2, 17, "");
        assertTrue(proof.isAsAsked());
        assertEquals("c2", proof.jit);
        assertEquals("compiler threads: 1 x 'C1 CompilerThre', 2 x 'C2 CompilerThre'", proof.evidence.get(0));
        assertEquals("VM: " + HOTSPOT, proof.evidence.get(1));
    }

    @Test
    void provesGraalByItsThreadAndItsLine() {
        for (String line : new String[] {
            LINE,
            "Using Graal compiler configuration 'community' provided by x",
            "Using \"Graal Community compiler with Truffle extensions\" loaded from class files"
        }) {
            JitProof proof = JitProof.judge(JVMCI, HOTSPOT, Profile.GRAAL, 17, "first\n" + line + "\nlast");
            assertTrue(proof.isAsAsked(), line);
            assertEquals("graal", proof.jit);
            assertEquals("it printed: " + line, proof.evidence.get(0));
        }
        assertTrue(JitProof.judge(Map.of("JVMCI-native Co", 1), HOTSPOT, Profile.GRAAL, 21, LINE)
                .isAsAsked());
    }

    @Test
    void isNotContentWithHalfOfTheEvidence() {
        JitProof silent = JitProof.judge(JVMCI, HOTSPOT, Profile.GRAAL, 17, "");
        assertFalse(silent.isAsAsked());
        assertEquals(JitProof.UNNAMED_JVMCI, silent.jit);
        String elsewhere = "a start script must not send its output elsewhere";
        assertTrue(silent.contradiction.contains(elsewhere), silent.contradiction);
        JitProof talking = JitProof.judge(JVMCI, HOTSPOT, Profile.GRAAL, 17, "Started in 2 s\n");
        assertFalse(talking.isAsAsked() || talking.contradiction.contains(elsewhere), talking.contradiction);
        JitProof both =
                JitProof.judge(Map.of("C2 CompilerThre", 1, "JVMCI CompilerT", 1), HOTSPOT, Profile.GRAAL, 17, LINE);
        assertFalse(both.isAsAsked());
        JitProof c2 = JitProof.judge(C2, HOTSPOT, Profile.GRAAL, 17, LINE);
        assertTrue(c2.contradiction.startsWith("asked for graal, found c2 ("), c2.contradiction);
        JitProof graal = JitProof.judge(JVMCI, HOTSPOT, Profile.C2, 17, LINE);
        assertTrue(graal.contradiction.startsWith("asked for c2, found graal ("), graal.contradiction);
        JitProof noJvm = JitProof.judge(Map.of("sh", 1), "", Profile.C2, 17, "");
        assertTrue(noJvm.contradiction.contains("a start script must exec its JVM"), noJvm.contradiction);
    }

    @Test
    void takesTheVmsNameOnJdk8WhichDoesNotNameItsThreads() {
        assertEquals(
                "c2", JitProof.judge(Map.of("java", 20), "OpenJDK 64-Bit Server VM 25.392-b08", Profile.C2, 8, "").jit);
    }

    @Test
    void recognisesTheOtherVms() {
        assertTrue(JitProof.judge(Map.of("JIT Compilation", 3), "Eclipse OpenJ9 VM", Profile.OPENJ9, 17, "")
                .isAsAsked());
        assertTrue(JitProof.judge(Map.of("java", 9), "Zing 64-Bit Tiered VM", Profile.ZING, 17, "")
                .isAsAsked());
        assertTrue(
                JitProof.judge(C2, "Zing 64-Bit Tiered VM", Profile.ZING, 17, "")
                        .isAsAsked(),
                "whatever its threads");
        assertTrue(JitProof.judge(Map.of("java", 9), "OpenJDK 64-Bit Zero VM 17", Profile.ZERO, 17, "")
                .isAsAsked());
        assertFalse(
                JitProof.judge(Map.of("java", 9), "", Profile.OPENJ9, 17, "").isAsAsked());
    }

    @Test
    void takesWhatItFindsWhereNothingWasAskedFor() {
        assertEquals("c2", JitProof.judge(C2, HOTSPOT, null, 17, "").jit);
        assertEquals("unknown", JitProof.judge(Map.of("nginx", 3), "", null, 0, "").jit);
        assertTrue(JitProof.judge(Map.of("nginx", 3), "", null, 0, "").isAsAsked());
    }
}
