package dev.lockstep.replayer.meters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Skew;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class SkewMeterTest {
    private final SkewMeter meter = new SkewMeter();
    private final SendTimes a = meter.newTarget();
    private final SendTimes b = meter.newTarget();
    private final SendTimes c = meter.newTarget();

    @Test
    void measuresFromTheEarliestSendToTheLatest() {
        a.sent(0, 1000);
        c.sent(0, 900);
        meter.read();
        b.sent(0, 1700);
        // Recorded connections send out of order.
        for (SendTimes times : new SendTimes[] {b, c, a}) {
            times.sent(2, 5000);
            times.sent(1, 4000);
        }

        Skew skew = meter.finish();

        assertEquals(3, skew.spread().count());
        assertEquals(800, skew.spread().max());
        assertEquals(0, skew.spread().min());
        assertEquals(0, skew.unmeasured());
    }

    @Test
    void countsWhatDidNotReachAll() {
        a.sent(0, 1);
        b.sent(0, 2);
        for (SendTimes times : new SendTimes[] {a, b, c}) {
            times.sent(1, 10);
            // Request 2 was left out at all targets, which is nobody's lag.
            times.sent(3, 30);
        }

        Skew skew = meter.finish();

        assertEquals(2, skew.spread().count());
        assertEquals(1, skew.unmeasured());
    }

    @Test
    void givesUpATargetThatLagsMoreThanTheRing() {
        int sent = 3 * SendTimes.CAPACITY;
        for (int n = 0; n < sent; n++) {
            a.sent(n, n);
            b.sent(n, n + 5);
            meter.read();
        }
        for (int n = 0; n < sent; n++) {
            c.sent(n, sent);
        }

        Skew skew = meter.finish();

        assertEquals(sent, skew.spread().count() + skew.unmeasured());
        assertTrue(skew.unmeasured() >= sent - SendTimes.CAPACITY, "unmeasured " + skew.unmeasured());
        assertTrue(
                skew.spread().count() >= SendTimes.CAPACITY / 2 - 1,
                "measured " + skew.spread().count());
    }

    @Test
    void readsConsistentTimesWhileTheyAreWritten() throws Exception {
        long seed = System.nanoTime();
        System.out.println("SkewMeterTest seed " + seed);
        int sent = 400_000;
        Thread[] writers = new Thread[3];
        SendTimes[] targets = {a, b, c};
        for (int i = 0; i < writers.length; i++) {
            SendTimes times = targets[i];
            int lateNs = i * 1000;
            Random random = new Random(seed + i);
            writers[i] = new Thread(() -> {
                for (int n = 0; n < sent; n++) {
                    // Any torn time shows as a spread of another size.
                    times.sent(n, n * 1_000_000L + lateNs);
                    if (random.nextInt(500) == 0) {
                        Thread.yield();
                    }
                }
            });
            writers[i].start();
        }
        boolean running = true;
        while (running) {
            running = false;
            for (Thread writer : writers) {
                running |= writer.isAlive();
            }
            meter.read();
        }
        for (Thread writer : writers) {
            writer.join(TimeUnit.SECONDS.toMillis(20));
        }

        Skew skew = meter.finish();

        assertEquals(sent, skew.spread().count() + skew.unmeasured(), "seed " + seed);
        assertTrue(skew.spread().count() > 0, "seed " + seed);
        assertEquals(2000, skew.spread().max(), 1, "seed " + seed);
        assertEquals(2000, skew.spread().min(), 1, "seed " + seed);
    }
}
