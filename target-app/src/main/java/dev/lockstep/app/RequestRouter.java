package dev.lockstep.app;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Answers the requests of one event loop; runs per request on it.
 *
 * <p>Design note: this router is a few comparisons. Start-up time is compared too, and vertx-web's router with its body
 * handler would load some hundred classes more.
 *
 * <p>No answer has a Date or Server header, and every body is written in one canonical form: equal requests in equal
 * order to equal users give equal bytes, in every process.
 */
final class RequestRouter implements Handler<HttpServerRequest> {
    private static final CharSequence APPLICATION_JSON = HttpHeaders.createOptimized("application/json");
    private static final CharSequence PROMETHEUS_TEXT =
            HttpHeaders.createOptimized("text/plain; version=0.0.4; charset=utf-8");
    private static final CharSequence CONTINUE = HttpHeaders.createOptimized("100-continue");
    private static final CharSequence CLOSE = HttpHeaders.createOptimized("close");
    private static final byte[] UP = Json.object(32, json -> json.writeStringField("status", "up"));
    private static final byte[] STARTING = Json.object(32, json -> json.writeStringField("status", "starting"));
    private static final String USER = "/user";
    private static final String USER_BY_ID = "/user/";
    private static final String USER_BY_INDEX = "/users/";
    private static final String TIMELINE = "/timeline/";
    private static final String CPU = "/cpu/";
    private static final int UUID_CHARS = 36;
    private static final int MAX_INDEX = 999_999_999;

    private final int preloadedUsers;
    private final int maxBodyBytes;
    private final Supplier<String> metrics;
    private final ExtraCpu.Loop extraCpu;
    private final Map<String, CpuWork> cpuKinds = CpuWork.kinds();
    private UserStore store;

    /**
     * Makes a router that answers 503 until {@link #serve} is called.
     *
     * @param metrics the text for {@code /metrics}, or null
     * @param extraCpu this loop's part, or null
     */
    RequestRouter(int preloadedUsers, int maxBodyBytes, Supplier<String> metrics, ExtraCpu.Loop extraCpu) {
        this.preloadedUsers = preloadedUsers;
        this.maxBodyBytes = maxBodyBytes;
        this.metrics = metrics;
        this.extraCpu = extraCpu;
    }

    /** Makes the router ready. Called on the event loop. */
    void serve(UserStore loaded) {
        store = loaded;
    }

    @Override
    public void handle(HttpServerRequest request) {
        if (request.response().writeQueueFull()) {
            // The client asks faster than it reads: make its next answer when the earlier ones are on their way.
            request.pause();
            request.response().drainHandler(drained -> {
                request.response().drainHandler(null);
                begin(request);
                request.resume();
            });
        } else {
            begin(request);
        }
    }

    private void begin(HttpServerRequest request) {
        if (extraCpu != null) {
            extraCpu.request();
        }
        try {
            if (CONTINUE.toString().equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))
                    && request.version() == HttpVersion.HTTP_1_1) {
                if (isTooLarge(request)) {
                    // The body may still come; only a new connection separates it from the next request.
                    request.response().putHeader(HttpHeaders.CONNECTION, CLOSE);
                    refuseTooLarge(request);
                    request.connection().close();
                    return;
                }
                request.response().writeContinue();
            }
            route(request);
        } catch (RuntimeException e) {
            fail(request, e);
        }
    }

    private void route(HttpServerRequest request) {
        String path = request.path();
        if (path == null) {
            throw new RefusedRequestException(404, "no such resource");
        } else if (path.startsWith(USER_BY_ID)) {
            request.routed("/user/{uuid}");
            userById(request, path.substring(USER_BY_ID.length()));
        } else if (path.startsWith(TIMELINE)) {
            request.routed("/timeline/{uuid}");
            timeline(request, path.substring(TIMELINE.length()));
        } else if (path.startsWith(CPU)) {
            cpu(request, path.substring(CPU.length()));
        } else if (path.equals(USER)) {
            request.routed(USER);
            createUser(request);
        } else if (path.startsWith(USER_BY_INDEX)) {
            request.routed("/users/{index}");
            userByIndex(request, path.substring(USER_BY_INDEX.length()));
        } else if (path.equals("/health")) {
            health(request);
        } else if (path.equals("/metrics") && metrics != null) {
            if (isRead(request)) {
                send(request, 200, PROMETHEUS_TEXT, Buffer.buffer(metrics.get()));
            }
        } else {
            throw new RefusedRequestException(404, "no such resource");
        }
    }

    private void userById(HttpServerRequest request, String idText) {
        HttpMethod method = request.method();
        if (method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD)) {
            answerUser(request, readyStore().find(uuid(idText)), UserJson::write);
        } else if (method.equals(HttpMethod.PUT)) {
            UserStore ready = readyStore();
            UUID id = uuid(idText);
            withBody(request, body -> {
                User user = UserJson.read(id, body);
                ready.put(user).onComplete(stored -> answerStored(request, user, stored, false));
            });
        } else if (method.equals(HttpMethod.DELETE)) {
            readyStore().delete(uuid(idText)).onComplete(deleted -> {
                if (deleted.failed()) {
                    unavailable(request);
                } else if (deleted.result()) {
                    request.response().setStatusCode(204).end();
                } else {
                    noSuchUser(request);
                }
            });
        } else {
            refuseMethod(request, "GET, HEAD, PUT, DELETE");
        }
    }

    private void createUser(HttpServerRequest request) {
        if (!request.method().equals(HttpMethod.POST)) {
            refuseMethod(request, "POST");
            return;
        }
        UserStore ready = readyStore();
        withBody(request, body -> {
            User user = UserJson.readNew(body);
            ready.put(user).onComplete(stored -> answerStored(request, user, stored, true));
        });
    }

    /**
     * Answers a user that was stored.
     *
     * @param alwaysCreated answer 201 even if the same user was there, so that it does not show whether another event
     *     loop has just created it
     */
    private void answerStored(
            HttpServerRequest request, User user, AsyncResult<UserStore.Stored> stored, boolean alwaysCreated) {
        if (stored.failed()) {
            unavailable(request);
        } else if (stored.result() == UserStore.Stored.FULL) {
            send(request, 507, Json.error("the store is full: delete users or start with a larger --max-users"));
        } else if (alwaysCreated || stored.result() == UserStore.Stored.CREATED) {
            request.response().putHeader(HttpHeaders.LOCATION, USER_BY_ID + user.id);
            send(request, 201, UserJson.write(user));
        } else {
            send(request, 200, UserJson.write(user));
        }
    }

    private void userByIndex(HttpServerRequest request, String indexText) {
        if (!isRead(request)) {
            return;
        }
        int index = Query.wholeNumber("index", indexText, 0, MAX_INDEX);
        UserStore ready = readyStore();
        if (index >= preloadedUsers) {
            noSuchUser(request);
        } else {
            answerUser(request, ready.find(PreloadedUsers.id(index)), UserJson::write);
        }
    }

    private void timeline(HttpServerRequest request, String idText) {
        if (!isRead(request)) {
            return;
        }
        int posts = Query.number(request.query(), "n", 1, Timeline.MAX_POSTS, Timeline.DEFAULT_POSTS);
        answerUser(request, readyStore().find(uuid(idText)), reader -> Timeline.of(reader, posts, preloadedUsers));
    }

    private void cpu(HttpServerRequest request, String kind) {
        CpuWork work = cpuKinds.get(kind);
        if (work == null) {
            throw new RefusedRequestException(
                    404, "no such kind of work: known are aesgcm, lu, signverify, streams, xml");
        }
        request.routed(CPU + kind);
        if (isRead(request)) {
            send(request, 200, work.answer(request.query()));
        }
    }

    private void health(HttpServerRequest request) {
        if (isRead(request)) {
            send(request, store != null ? 200 : 503, store != null ? UP : STARTING);
        }
    }

    /** Answers with what is made of a user, once it is found. */
    private void answerUser(HttpServerRequest request, Future<User> user, Function<User, byte[]> json) {
        user.onComplete(found -> {
            if (found.failed()) {
                unavailable(request);
            } else if (found.result() == null) {
                noSuchUser(request);
            } else {
                send(request, 200, json.apply(found.result()));
            }
        });
    }

    private UserStore readyStore() {
        if (store == null) {
            throw new RefusedRequestException(503, "starting: the users are not loaded yet");
        }
        return store;
    }

    /** Reads a UUID in its usual form of 36 characters; UUID.fromString alone would take "1-1-1-1-1" too. */
    private static UUID uuid(String text) {
        boolean valid = text.length() == UUID_CHARS;
        for (int i = 0; valid && i < UUID_CHARS; i++) {
            char c = text.charAt(i);
            valid = i == 8 || i == 13 || i == 18 || i == 23
                    ? c == '-'
                    : c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
        }
        if (!valid) {
            throw new RefusedRequestException(
                    400, "not a UUID: expected the form 00000000-0000-8000-8000-00000000002a");
        }
        return UUID.fromString(text);
    }

    private boolean isRead(HttpServerRequest request) {
        if (request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD)) {
            return true;
        }
        refuseMethod(request, "GET, HEAD");
        return false;
    }

    private boolean isTooLarge(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        // The decoder lets only whole numbers through, but one of many digits may not fit into a long.
        return length != null && (length.length() > 18 || Long.parseLong(length.trim()) > maxBodyBytes);
    }

    /**
     * Gives the whole body to the handler. Refuses one that is too large at once, keeps nothing of it and throws the
     * rest away, so that the connection can carry the next request.
     */
    private void withBody(HttpServerRequest request, Handler<byte[]> handler) {
        if (isTooLarge(request)) {
            refuseTooLarge(request);
            return;
        }
        Body body = new Body();
        request.handler(part -> {
            if (!body.refused && body.bytes.length() + part.length() > maxBodyBytes) {
                body.refused = true;
                body.bytes = null;
                refuseTooLarge(request);
            }
            if (!body.refused) {
                body.bytes.appendBuffer(part);
            }
        });
        request.endHandler(end -> {
            if (body.refused) {
                return;
            }
            try {
                handler.handle(body.bytes.getBytes());
            } catch (RuntimeException e) {
                fail(request, e);
            }
        });
    }

    private static final class Body {
        private Buffer bytes = Buffer.buffer();
        private boolean refused;
    }

    private void refuseTooLarge(HttpServerRequest request) {
        send(request, 413, Json.error("the body is larger than " + maxBodyBytes + " bytes"));
    }

    private static void refuseMethod(HttpServerRequest request, String allowed) {
        request.response().putHeader(HttpHeaders.ALLOW, allowed);
        send(request, 405, Json.error("this resource knows only " + allowed));
    }

    private static void noSuchUser(HttpServerRequest request) {
        send(request, 404, Json.error("no such user"));
    }

    private static void unavailable(HttpServerRequest request) {
        send(request, 503, Json.error("the store cannot be reached"));
    }

    private static void fail(HttpServerRequest request, RuntimeException failure) {
        if (failure instanceof RefusedRequestException) {
            send(request, ((RefusedRequestException) failure).status, Json.error(failure.getMessage()));
        } else if (!request.response().ended()) {
            send(request, 500, Json.error("internal error: " + failure));
        }
    }

    private static void send(HttpServerRequest request, int status, byte[] json) {
        send(request, status, APPLICATION_JSON, Buffer.buffer(json));
    }

    private static void send(HttpServerRequest request, int status, CharSequence type, Buffer body) {
        HttpServerResponse response = request.response();
        response.setStatusCode(status);
        response.putHeader(HttpHeaders.CONTENT_TYPE, type);
        // Vert.x leaves this out in answers to HEAD.
        response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length()));
        response.end(body);
    }
}
