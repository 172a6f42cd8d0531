package dev.lockstep.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class FrontTest {
    private static final double[] FIRST = {1, 4, 2, 2, 3, 1, 5};
    private static final double[] SECOND = {9, 1, 3, 4, 3, 9, 1};
    private static final List<Integer> ALL = List.of(0, 1, 2, 3, 4, 5, 6);

    @Test
    void hasWhatNothingIsBetterThan() {
        Front front = new Front(FIRST, SECOND, ALL);

        assertEquals(List.of(0, 2, 1), front.members(), "each pair once, what is as good in one and worse in none out");
        assertEquals(List.of(3, 1), new Front(FIRST, SECOND, List.of(1, 3, 6)).members());
    }

    @Test
    void bulgesWhereBothAreGood() {
        assertEquals(2, new Front(FIRST, SECOND, ALL).knee());
        assertEquals(4, new Front(FIRST, SECOND, List.of(4)).knee());
        assertEquals(-1, new Front(FIRST, SECOND, List.of()).knee());
    }

    @Test
    void bulgesWhereverItsEndsAre() {
        double most = Double.MAX_VALUE;
        Front front = new Front(new double[] {-most, 0, most}, new double[] {most, -most / 2, -most}, List.of(0, 1, 2));

        assertEquals(1, front.knee());
        assertEquals(0, new Front(new double[] {-most, most}, new double[] {most, -most}, List.of(0, 1)).knee());
        assertEquals(0, new Front(new double[] {Double.MIN_VALUE}, new double[] {most}, List.of(0)).knee());
    }
}
