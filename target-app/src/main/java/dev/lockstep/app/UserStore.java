package dev.lockstep.app;

import io.vertx.core.Future;
import java.util.UUID;

/**
 * Where the users are. Each HTTP verticle uses one, on its own event loop; results arrive on that loop.
 *
 * <p>A future that fails means that the store cannot be reached; the request is then answered with 503.
 */
interface UserStore {
    enum Stored {
        CREATED,
        REPLACED,
        /** The user is new and the store full, so nothing changed. */
        FULL
    }

    /** Returns the user, or null when there is none. */
    Future<User> find(UUID id);

    /** Replaces a user with the same id. */
    Future<Stored> put(User user);

    /** Returns whether there was such a user. */
    Future<Boolean> delete(UUID id);
}
