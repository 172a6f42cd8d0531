package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class FleetTest {
    /** The source says 3,048,000 and 335,280 for the same product: it has lost a zero. */
    @Test
    void multipliesWhatTheSourceMultiplies() {
        Fleet fleet = Fleet.of(127, 24, 10_000);

        assertEquals(30_480_000, fleet.usdPerYear(), 0);
        assertEquals(3_352_800, fleet.saving(0.89, Optional.empty()).usdPerYear(), 1e-6);
    }

    @Test
    void turnsTheIntervalOfTheRatioAround() {
        Fleet.Saving saving =
                Fleet.of(127, 24, 10_000).saving(0.89, Optional.of(ConfidenceInterval.of(0.87, 0.91, 0.95)));

        assertEquals(2_743_200, saving.interval().orElseThrow().low(), 1e-6);
        assertEquals(3_962_400, saving.interval().orElseThrow().high(), 1e-6);
        assertEquals(0.95, saving.interval().orElseThrow().level(), 0);
        assertEquals("saves 3,352,800 USD a year (2,743,200 to 3,962,400)", saving.toString());
    }

    @Test
    void countsALossAsANegativeSaving() {
        Fleet.Saving saving = Fleet.of(100, 1, 10).saving(1.1, Optional.of(ConfidenceInterval.of(0.95, 1.25, 0.95)));

        assertEquals(-100, saving.usdPerYear(), 1e-9);
        assertEquals("costs 100 USD a year more (-50 to 250)", saving.toString());
        assertTrue(Fleet.of(1, 1, 1).saving(1.1, Optional.empty()).interval().isEmpty());
    }

    @Test
    void refusesPricesAndFleetsOfNothing() {
        assertThrows(IllegalArgumentException.class, () -> Fleet.of(0, 24, 10));
        assertThrows(IllegalArgumentException.class, () -> Fleet.of(127, -1, 10));
        assertThrows(IllegalArgumentException.class, () -> Fleet.of(127, 24, Double.NaN));
    }
}
