package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class QueryTest {
    @Test
    void findsANumberAmongOtherParameters() {
        assertEquals(5, Query.number("n=5", "n", 1, 10, 7));
        assertEquals(5, Query.number("nn=1&n=5&n=6", "n", 1, 10, 7));
        assertEquals(10, Query.number("&&m&n=010&", "n", 1, 10, 7));
    }

    @Test
    void takesTheDefaultWhenThereIsNone() {
        for (String query : new String[] {null, "", "n", "m=1", "nn=5", "&", "mn=5"}) {
            assertEquals(7, Query.number(query, "n", 1, 10, 7), query);
        }
    }

    @Test
    void refusesWhatIsNoNumberWithinTheBounds() {
        for (String value : List.of("", "0", "11", "-1", "+5", "5.0", "0x5", "five", "9999999999", "5 ", "%35", "٥")) {
            RefusedRequestException refusal =
                    assertThrows(RefusedRequestException.class, () -> Query.number("n=" + value, "n", 1, 10, 7), value);
            assertEquals(400, refusal.status);
            assertEquals("n: must be a whole number from 1 to 10", refusal.getMessage());
        }
    }
}
