package dev.lockstep.app;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.UUID;

/**
 * Users in Redis. Belongs to one event loop, with one connection of its own over which all its commands are pipelined;
 * a lost connection is made again by the next command.
 *
 * <p>Design note: all users of a process are fields of one Redis hash instead of keys of their own. One DEL then clears
 * what an earlier process left, so that every run starts from the same state, and several processes share a server,
 * each with its own hash.
 */
final class RedisUserStore implements UserStore {
    private static final int CONNECT_TIMEOUT_MS = 2_000;
    private static final int MAX_WAITING_COMMANDS = 32_768;
    private static final int USERS_PER_COMMAND = 500;
    /** KEYS: the hash. ARGV: id, JSON, most users. Returns 1 created, 0 replaced, -1 full. */
    private static final String PUT_SCRIPT = "if redis.call('HEXISTS',KEYS[1],ARGV[1])==0"
            + " and redis.call('HLEN',KEYS[1])>=tonumber(ARGV[3]) then return -1 end"
            + " return redis.call('HSET',KEYS[1],ARGV[1],ARGV[2])";

    private final Redis redis;
    private final String hash;
    private final int maxUsers;
    private Future<RedisConnection> connection;

    /**
     * Makes the store of the event loop that calls this.
     *
     * @param address as in {@code redis://:password@host:port/database}
     * @param hash the key under which the users are
     */
    RedisUserStore(Vertx vertx, String address, String hash, int maxUsers) {
        this.redis = Redis.createClient(
                vertx,
                new RedisOptions()
                        .setConnectionString(address)
                        .setMaxWaitingHandlers(MAX_WAITING_COMMANDS)
                        .setMaxPoolSize(1)
                        .setPoolRecycleTimeout(-1)
                        .setNetClientOptions(new NetClientOptions()
                                .setTcpNoDelay(true)
                                .setTcpKeepAlive(true)
                                .setConnectTimeout(CONNECT_TIMEOUT_MS)));
        this.hash = hash;
        this.maxUsers = maxUsers;
    }

    /** Replaces what the hash holds with the first {@code preloaded} users of {@link PreloadedUsers}. */
    Future<Void> load(int preloaded) {
        return send(Request.cmd(Command.DEL).arg(hash)).compose(deleted -> load(0, preloaded));
    }

    private Future<Void> load(int first, int preloaded) {
        if (first >= preloaded) {
            return Future.succeededFuture();
        }
        int end = Math.min(preloaded, first + USERS_PER_COMMAND);
        Request request = Request.cmd(Command.HSET).arg(hash);
        for (int i = first; i < end; i++) {
            User user = PreloadedUsers.user(i);
            request.arg(user.id.toString()).arg(UserJson.write(user));
        }
        return send(request).compose(added -> load(end, preloaded));
    }

    /** Removes the hash from the server. */
    Future<Void> clear() {
        return send(Request.cmd(Command.UNLINK).arg(hash)).mapEmpty();
    }

    @Override
    public Future<User> find(UUID id) {
        return send(Request.cmd(Command.HGET).arg(hash).arg(id.toString())).map(response -> {
            Buffer text = response == null ? null : response.toBuffer();
            return text == null ? null : UserJson.readStored(id, text.getBytes());
        });
    }

    @Override
    public Future<Stored> put(User user) {
        return send(Request.cmd(Command.EVAL)
                        .arg(PUT_SCRIPT)
                        .arg(1)
                        .arg(hash)
                        .arg(user.id.toString())
                        .arg(UserJson.write(user))
                        .arg(maxUsers))
                .map(response -> {
                    int added = response.toInteger();
                    return added < 0 ? Stored.FULL : added > 0 ? Stored.CREATED : Stored.REPLACED;
                });
    }

    @Override
    public Future<Boolean> delete(UUID id) {
        return send(Request.cmd(Command.HDEL).arg(hash).arg(id.toString())).map(response -> response.toInteger() > 0);
    }

    private Future<Response> send(Request request) {
        Future<RedisConnection> current = connection;
        if (current == null) {
            current = connect();
        }
        RedisConnection connected = current.result();
        return connected != null ? connected.send(request) : current.compose(late -> late.send(request));
    }

    private Future<RedisConnection> connect() {
        Future<RedisConnection> connecting = redis.connect();
        connection = connecting;
        return connecting
                .onSuccess(made -> {
                    made.endHandler(end -> forget(connecting));
                    made.exceptionHandler(failure -> forget(connecting));
                })
                .onFailure(failure -> forget(connecting));
    }

    private void forget(Future<RedisConnection> lost) {
        if (connection == lost) {
            connection = null;
        }
    }
}
