package dev.lockstep.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ThriftCallsTest {
    private final ThriftCalls calls = new ThriftCalls();
    private long sent;

    @Test
    void concludesNothingWhileAnswersComeInOrder() {
        for (int i = 0; i < 100; i++) {
            send("a", i);
            send("b", i);
            answer("a", i);
            answer("b", i);
        }
        assertEquals(List.of(), unanswered());
    }

    @Test
    void passesOverAnyNumberOfCallsThatTheAnswerDoesNotFit() {
        send("log", 0);
        send("log", 0);
        send("log", 0);
        send("ping", 0);
        answer("ping", 0);
        assertEquals(List.of(0L, 1L, 2L), unanswered());
    }

    @Test
    void tellsCallsOfTheSameNameByTheirSequenceIds() {
        send("log", 1);
        send("log", 2);
        answer("log", 2);
        assertEquals(List.of(0L), unanswered());
    }

    @Test
    void takesAnAnswerWithoutASequenceIdForTheFirstCallOfItsName() {
        send("ping", 7);
        send("ping", 8);
        answer("ping", 0);
        answer("ping", 8);
        assertEquals(List.of(), unanswered());
    }

    @Test
    void stopsConcludingWhenAnswersComeOutOfOrder() {
        send("slow", 1);
        send("fast", 2);
        answer("fast", 2);
        answer("slow", 1);
        assertEquals(List.of(0L), unanswered());
        send("slow", 3);
        send("fast", 4);
        answer("fast", 4);
        assertEquals(List.of(), unanswered());
    }

    @Test
    void takesAnAnswerThatIsSeenBeforeItsCall() {
        answer("ping", 0);
        send("ping", 0);
        send("pong", 0);
        answer("pong", 0);
        assertEquals(List.of(), unanswered());
    }

    @Test
    void takesTheAnswerToAForgottenCallForNoneToALaterOne() {
        send("ping", 0);
        calls.forget();
        answer("ping", 0);
        for (long number = 1; number < 4; number++) {
            send("ping", 0);
            assertEquals(number, calls.answered(ThriftMessageReader.hash("ping"), 0));
        }
        // From there on answers are early again, and not to forgotten calls.
        answer("pong", 0);
        send("pong", 0);
        send("ping", 0);
        answer("ping", 0);
        assertEquals(List.of(), unanswered());
    }

    @Test
    void forgetsTheOldestOfTooManyCalls() {
        for (int i = 0; i < ThriftCalls.MAX_WAITING + 500; i++) {
            send("log", 0);
        }
        send("ping", 0);
        answer("ping", 0);
        List<Long> unanswered = unanswered();
        assertEquals(ThriftCalls.MAX_WAITING - 1, unanswered.size());
        assertEquals(501L, unanswered.get(0));
    }

    @Test
    void letsACallWhoseNameIsNotKnownTakeAnyAnswer() {
        calls.sent(sent++, 0, 0, 0);
        send("ping", 0);
        answer("something", 0);
        answer("ping", 0);
        assertEquals(List.of(), unanswered());
    }

    private void send(String name, int sequenceId) {
        long hash = ThriftMessageReader.hash(name);
        calls.sent(sent++, hash, hash, sequenceId);
    }

    private void answer(String name, int sequenceId) {
        calls.answered(ThriftMessageReader.hash(name), sequenceId);
    }

    private List<Long> unanswered() {
        List<Long> numbers = new ArrayList<>();
        for (long number = calls.takeUnanswered(); number >= 0; number = calls.takeUnanswered()) {
            numbers.add(number);
        }
        return numbers;
    }
}
