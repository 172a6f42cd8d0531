package dev.lockstep.cli.tune;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.run.Cancellation;
import dev.lockstep.search.Control;
import dev.lockstep.search.Verification;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GivingUpTest {
    @TempDir
    private Path folder;

    /** Both look in the same place; only one of them is an evaluation. */
    @Test
    void skipsAnEvaluationAndNoVerification() {
        Control control = Control.of(folder, () -> false);
        control.wish(Control.Wish.SKIP);

        try (GivingUp evaluation = GivingUp.watch(control::givesUp, new Cancellation());
                GivingUp verification = GivingUp.watch(control::isInterrupted, new Cancellation())) {
            assertTrue(evaluation.gaveUp());
            assertFalse(verification.gaveUp());
        }
    }

    @Test
    void takesAVerificationForAsSureAsItWas() {
        Verification.Builder found = Verification.builder("x=1")
                .holds(true)
                .finding("better")
                .sentence("found")
                .directory("verification");
        Verification old = found.build();
        Verification quick = found.effort("quick").build();
        Verification verdict = found.effort("verdict").build();

        assertFalse(Verifier.Effort.VERDICT.isReachedBy(quick));
        assertFalse(Verifier.Effort.VERDICT.isReachedBy(old), "nobody knows");
        assertTrue(Verifier.Effort.VERDICT.isReachedBy(verdict));
        assertTrue(Verifier.Effort.QUICK.isReachedBy(verdict));
        assertTrue(Verifier.Effort.QUICK.isReachedBy(quick));
    }
}
