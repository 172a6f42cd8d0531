package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class InterruptionTest {
    private final Interruption interruption = Interruption.detached();
    private final List<String> events = new CopyOnWriteArrayList<>();

    @Test
    void doesWhatIsSetWhenTheSignalComesOrHasCome() {
        interruption.onRequest(() -> events.add("first"));
        interruption.onRequest(() -> events.add("second"));
        interruption.request();
        assertTrue(interruption.isRequested());
        interruption.onRequest(() -> events.add("third"));
        assertEquals(List.of("second", "third"), events);
    }

    @Test
    void doesNothingMoreThatWasSetBeforeOnceAnotherIsSet() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        interruption.onRequest(() -> {
            runs.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            events.add("asked");
        });
        Thread signal = new Thread(interruption::request);
        signal.start();
        runs.await();
        Thread command = new Thread(() -> {
            interruption.onRequest(() -> {});
            events.add("replaced");
        });
        command.start();
        while (command.isAlive() && command.getState() != Thread.State.BLOCKED) {
            Thread.onSpinWait();
        }
        mayEnd.countDown();
        signal.join();
        command.join();
        assertEquals(List.of("asked", "replaced"), events);
    }
}
