package dev.lockstep.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Interval;
import dev.lockstep.measurement.LoadCounts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AnswerMixTest {
    private final List<String> handedOn = new ArrayList<>();
    private final AnswerMix mix = new AnswerMix((target, interval) -> handedOn.add(target));
    private final Interval interval = new Interval();

    @Test
    void saysWhichAnswersTheWarmUpGotMoreOrLessOften() {
        // A user can be created once.
        answers("c2", true, 201, 10);
        answers("c2", true, 409, 990);
        answers("c2", false, 201, 900);
        answers("c2", false, 409, 95);
        interval.counts().set(new LoadCounts());
        interval.counts().error(ErrorKind.READ_TIMEOUT, 5);
        interval.phase = Interval.Phase.MEASURED;
        mix.interval("c2", interval);
        answers("graal", true, 200, 995);
        answers("graal", true, 500, 5);
        answers("graal", false, 200, 100);

        assertEquals(
                List.of("c2: answers shifted from the warm-up to the measured phase: 2xx 1.0 % to 90.0 %, 4xx 99.0 % to"
                        + " 9.5 %; the warm-up repeats the capture, its writes too (--warmup-pace recorded repeats it"
                        + " less)"),
                mix.shifts(true, 100));
        assertEquals(8, handedOn.size());
    }

    @Test
    void doesNotTakeADeathForAShift() {
        answers("c2", true, 200, 100);
        answers("c2", false, 200, 30);
        interval.counts().set(new LoadCounts());
        interval.counts().error(ErrorKind.TARGET_DIED, 70);
        mix.interval("c2", interval);

        assertEquals(List.of(), mix.shifts(true, 0));
    }

    /** Of a capture whose first part is another one. */
    @Test
    void saysNothingWhereAPhaseSentAPartOfTheCapture() {
        answers("shortWarmUp", true, 200, 400);
        answers("shortWarmUp", false, 200, 900);
        answers("shortWarmUp", false, 404, 100);
        answers("shortMeasured", true, 200, 900);
        answers("shortMeasured", true, 404, 100);
        answers("shortMeasured", false, 200, 400);
        // Some are unanswered in the end.
        answers("whole", true, 200, 1000);
        answers("whole", false, 200, 891);
        answers("whole", false, 404, 100);

        List<String> shifts = mix.shifts(false, 1000);

        assertEquals(1, shifts.size(), shifts::toString);
        assertTrue(shifts.get(0).startsWith("whole: "), shifts::toString);
    }

    @Test
    void saysNothingWhereOneOfTheTwoIsMissing() {
        answers("c2", false, 200, 100);
        answers("graal", true, 404, 100);

        assertEquals(List.of(), mix.shifts(true, 0));
    }

    private void answers(String target, boolean warmup, int status, int count) {
        interval.counts().set(new LoadCounts());
        interval.counts().completed = count;
        interval.counts().status(status, count);
        interval.phase = warmup ? Interval.Phase.WARM_UP : Interval.Phase.MEASURED;
        mix.interval(target, interval);
    }
}
