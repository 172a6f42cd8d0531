package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MemoryUserStoreTest extends UserStoreContract {
    @Override
    UserStore store(int preloaded, int maxUsers) {
        return new MemoryUserStore(preloaded, maxUsers);
    }

    @Test
    void neverHoldsMoreThanItMayWhenThreadsRace() throws InterruptedException {
        int maxUsers = 1_000;
        MemoryUserStore store = new MemoryUserStore(0, maxUsers);
        AtomicInteger created = new AtomicInteger();
        AtomicInteger deleted = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 20_000; i++) {
                    // All threads write the same users, so that they meet.
                    if (store.put(PreloadedUsers.user(i % 1_500)).result() == UserStore.Stored.CREATED) {
                        created.incrementAndGet();
                    }
                    if (i % 3 == 0 && store.delete(PreloadedUsers.id(i % 1_500)).result()) {
                        deleted.incrementAndGet();
                    }
                    assertTrue(created.get() - deleted.get() <= maxUsers + 4);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        int held = 0;
        for (int i = 0; i < 1_500; i++) {
            held += store.find(PreloadedUsers.id(i)).result() == null ? 0 : 1;
        }
        assertTrue(held <= maxUsers, held + " users");
        assertEquals(held, created.get() - deleted.get());
    }
}
