package dev.lockstep.app;

import io.vertx.core.Future;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Users in memory. One store for all event loops; results are there at once. */
final class MemoryUserStore implements UserStore {
    private static final Future<Boolean> YES = Future.succeededFuture(true);
    private static final Future<Boolean> NO = Future.succeededFuture(false);
    private static final Future<Stored> CREATED = Future.succeededFuture(Stored.CREATED);
    private static final Future<Stored> REPLACED = Future.succeededFuture(Stored.REPLACED);
    private static final Future<Stored> FULL = Future.succeededFuture(Stored.FULL);

    private final ConcurrentHashMap<UUID, User> users;
    private final AtomicInteger count = new AtomicInteger();
    private final int maxUsers;

    MemoryUserStore(int preloaded, int maxUsers) {
        this.maxUsers = maxUsers;
        users = new ConcurrentHashMap<>(preloaded * 3 / 2 + 16);
        for (int i = 0; i < preloaded; i++) {
            User user = PreloadedUsers.user(i);
            users.put(user.id, user);
        }
        count.set(preloaded);
    }

    @Override
    public Future<User> find(UUID id) {
        return Future.succeededFuture(users.get(id));
    }

    @Override
    public Future<Stored> put(User user) {
        if (users.replace(user.id, user) != null) {
            return REPLACED;
        }
        if (count.incrementAndGet() > maxUsers) {
            count.decrementAndGet();
            return FULL;
        }
        if (users.put(user.id, user) != null) {
            // Another event loop has created the same user meanwhile.
            count.decrementAndGet();
            return REPLACED;
        }
        return CREATED;
    }

    @Override
    public Future<Boolean> delete(UUID id) {
        if (users.remove(id) == null) {
            return NO;
        }
        count.decrementAndGet();
        return YES;
    }
}
