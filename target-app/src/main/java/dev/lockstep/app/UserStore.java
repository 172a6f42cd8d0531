package dev.lockstep.app;

import io.vertx.core.Future;
import java.util.UUID;

/**
 * Where the users are. Each HTTP verticle uses one, on its own event loop; results arrive on that loop.
 *
 * <p>A future that fails means that the store cannot be reached; the request is then answered with 503.
 */
interface UserStore {
    /** What became of a user that was to be stored. */
    enum Stored {
        CREATED,
        REPLACED,
        /** Nothing changed: the user is new and the store holds as many as it may. */
        FULL
    }

    /** Returns the user, or null when there is none. */
    Future<User> find(UUID id);

    /** Stores the user in place of the one with the same id, if there is one. */
    Future<Stored> put(User user);

    /** Returns whether there was such a user. */
    Future<Boolean> delete(UUID id);
}
