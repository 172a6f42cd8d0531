package dev.lockstep.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ListenersTest {
    @Test
    void tellsAListenerThatInterruptedItsOwnThreadTheRest() {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        Listeners listeners = new Listeners(
                List.of(new RunListener() {
                    @Override
                    public void note(String sentence) {
                        heard.add(sentence);
                        Thread.currentThread().interrupt();
                    }
                }),
                Duration.ofSeconds(20));
        listeners.note("one");
        listeners.settle();
        listeners.note("two");
        listeners.close();
        assertEquals(List.of("one", "two"), heard);
        assertEquals(List.of(), listeners.failures());
    }
}
