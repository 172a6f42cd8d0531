package dev.lockstep.measurement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ShareTest {
    @Test
    void everyConnectionBelongsToExactlyOnePart() {
        for (int of = 1; of <= 7; of++) {
            for (long connection = 0; connection < 50; connection++) {
                int owners = 0;
                for (int part = 1; part <= of; part++) {
                    owners += Share.part(part, of).includes(connection) ? 1 : 0;
                }
                assertEquals(1, owners, "connection " + connection + " of " + of + " parts");
            }
        }
    }

    @Test
    void countsWhatItIncludes() {
        for (int of = 1; of <= 7; of++) {
            for (int part = 1; part <= of; part++) {
                Share share = Share.part(part, of);
                for (long total = 0; total < 30; total++) {
                    assertEquals(
                            LongStream.range(0, total).filter(share::includes).count(), share.countOf(total));
                }
            }
        }
        assertEquals(Long.MAX_VALUE, Share.WHOLE.countOf(Long.MAX_VALUE));
    }

    @Test
    void mergedPartsIncludeWhatEachDid() {
        Share merged = Share.part(3, 4).merge(Share.part(1, 4));
        assertEquals(List.of(1, 3), merged.parts());
        assertEquals("parts 1, 3 of 4", merged.toString());
        assertTrue(merged.includes(0) && !merged.includes(1) && merged.includes(2) && !merged.includes(3));
        assertEquals(5, merged.countOf(9));
    }

    @Test
    void allPartsTogetherAreTheWhole() {
        assertSame(Share.WHOLE, Share.part(2, 2).merge(Share.part(1, 2)));
        assertSame(Share.WHOLE, Share.part(1, 1));
        assertEquals("all", Share.WHOLE.toString());
        assertEquals("part 2 of 3", Share.part(2, 3).toString());
    }

    @Test
    void refusesToMergeOverlappingPartsOrOtherSplits() {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> Share.part(1, 3).merge(Share.part(1, 3)));
        assertEquals(
                "only different parts of the same split can be merged, found part 1 of 3 and part 1 of 3",
                e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> Share.part(1, 3).merge(Share.part(2, 4)));
        assertThrows(IllegalArgumentException.class, () -> Share.WHOLE.merge(Share.WHOLE));
    }

    @Test
    void refusesAPartThatDoesNotExist() {
        assertThrows(IllegalArgumentException.class, () -> Share.part(0, 3));
        assertThrows(IllegalArgumentException.class, () -> Share.part(4, 3));
        assertThrows(IllegalArgumentException.class, () -> Share.part(1, 0));
        assertThrows(IllegalArgumentException.class, () -> Share.part(1, 10_001));
    }
}
