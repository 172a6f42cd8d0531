package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.CpuList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

final class ReplayerCoresTest {
    @Test
    void givesALoopTheProcessorThatIsNotTheTargetsAndMovesTheOthersOff() {
        assertEquals("loops 0, others 1, own", divide("0,1/1", 1, true));
        assertEquals("loops 0, others 1, own", divide("0,1/1", 3, false));
    }

    @Test
    void keepsTheLastOfSeveralProcessorsForTheOtherThreads() {
        assertEquals("loops 0, others 1, own", divide("0,1/0,1", 2, true));
    }

    @Test
    void sharesWhereThereIsNothingElse() {
        assertEquals("loops 0, others , shared", divide("0/0", 2, false));
        assertEquals("loops 0, others , own", divide("0/0", 2, true));
        assertEquals("loops 0, others , own", divide("0/1", 2, false));
    }

    private static String divide(String wish, int atOnce, boolean elsewhere) {
        CpuList allowed = Cores.allowed();
        Assumptions.assumeTrue(allowed.contains(0) && allowed.contains(1), "needs processors 0 and 1");
        ReplayerCores cores = ReplayerCores.of(Cores.plan(wish, List.of("a")), atOnce, elsewhere);
        return "loops " + cores.loops() + ", others " + cores.others() + (cores.own() ? ", own" : ", shared");
    }
}
