package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.vertx.core.Future;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every store does; run for each by its own test. */
abstract class UserStoreContract {
    private static final UUID STRANGER = UUID.fromString("11111111-2222-4333-8444-555555555555");

    /** Returns a loaded store. */
    abstract UserStore store(int preloaded, int maxUsers) throws Exception;

    @Test
    void holdsThePreloadedUsers() throws Exception {
        UserStore store = store(1_234, 2_000);
        for (int i = 0; i < 1_234; i += 137) {
            assertUser(PreloadedUsers.user(i), store);
        }
        assertUser(PreloadedUsers.user(1_233), store);
        assertNull(result(store.find(PreloadedUsers.id(1_234))));
        assertNull(result(store.find(STRANGER)));
    }

    @Test
    void createsReplacesAndDeletes() throws Exception {
        UserStore store = store(2, 10);
        User user = new User(STRANGER, "Zoë \uD83D\uDE00", null, "São Paulo", User.NO_AGE);
        assertEquals(UserStore.Stored.CREATED, result(store.put(user)));
        assertUser(user, store);
        User older = new User(STRANGER, "Zoë", "zoe@example.org", null, 99);
        assertEquals(UserStore.Stored.REPLACED, result(store.put(older)));
        assertUser(older, store);
        assertEquals(true, result(store.delete(STRANGER)));
        assertEquals(false, result(store.delete(STRANGER)));
        assertNull(result(store.find(STRANGER)));
        assertUser(PreloadedUsers.user(1), store);
    }

    @Test
    void refusesNewUsersOnlyWhileItIsFull() throws Exception {
        UserStore store = store(2, 3);
        assertEquals(UserStore.Stored.CREATED, result(store.put(PreloadedUsers.user(10))));
        assertEquals(UserStore.Stored.FULL, result(store.put(PreloadedUsers.user(11))));
        assertNull(result(store.find(PreloadedUsers.id(11))));
        assertEquals(UserStore.Stored.REPLACED, result(store.put(PreloadedUsers.user(1))));
        assertEquals(true, result(store.delete(PreloadedUsers.id(0))));
        assertEquals(UserStore.Stored.CREATED, result(store.put(PreloadedUsers.user(11))));
    }

    @Test
    void canStartEmpty() throws Exception {
        UserStore store = store(0, 1);
        assertNull(result(store.find(PreloadedUsers.id(0))));
        assertEquals(UserStore.Stored.CREATED, result(store.put(PreloadedUsers.user(0))));
    }

    private static void assertUser(User expected, UserStore store) throws Exception {
        assertArrayEquals(UserJson.write(expected), UserJson.write(result(store.find(expected.id))));
    }

    static <T> T result(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
