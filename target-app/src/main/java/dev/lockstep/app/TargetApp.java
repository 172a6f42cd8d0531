package dev.lockstep.app;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.impl.VertxInternal;
import java.io.PrintStream;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A Vert.x service to aim at: users by id, requests that burn CPU, timelines that allocate, a TCP echo.
 *
 * <p>Exit codes: 0 for --help and --print-users, 1 if it cannot start, 2 if the command line is wrong. It serves until
 * a signal ends it.
 */
public final class TargetApp implements AutoCloseable {
    private static final long START_LIMIT_MS = 30_000;
    private static final long STOP_LIMIT_MS = 900;
    private static final int ACCEPT_BACKLOG = 16_384;

    /**
     * Vert.x registers its gauges anew at every request, and Micrometer warns about that once. The field keeps the
     * logger from being collected, which would reset its level.
     */
    private static final Logger METER_REGISTRY_LOGGER = Logger.getLogger("io.micrometer.core.instrument.MeterRegistry");

    private final AppOptions options;
    private final Vertx vertx;
    private final AppMetrics metrics;
    private final List<HttpVerticle> verticles = new CopyOnWriteArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private String deployment;
    private EchoServer echo;
    private Context redisContext;
    private volatile RedisUserStore redis;

    private TargetApp(AppOptions options) {
        quietDown();
        this.options = options;
        this.metrics = options.metrics ? new AppMetrics() : null;
        this.vertx = metrics != null ? metrics.build(vertxOptions()) : Vertx.vertx(vertxOptions());
    }

    /** Runs the application until the process is told to stop. */
    public static void main(String[] arguments) {
        int status = run(arguments, System.out, System.err);
        if (status >= 0) {
            System.exit(status);
        }
    }

    /** Returns the exit code, -1 if the application now serves. */
    static int run(String[] arguments, PrintStream out, PrintStream err) {
        AppOptions options;
        try {
            options = AppOptions.parse(arguments);
        } catch (IllegalArgumentException e) {
            err.println("target-app: " + e.getMessage() + " (--help lists the options)");
            return 2;
        }
        if (options.help) {
            out.println(AppOptions.HELP);
            return 0;
        }
        if (options.printUsers) {
            for (int i = 0; i < options.users; i++) {
                out.println(PreloadedUsers.id(i));
            }
            return 0;
        }
        try {
            TargetApp app = launch(options);
            Runtime.getRuntime().addShutdownHook(new Thread(app::close, "stop"));
            out.println(app.describe());
            return -1;
        } catch (TargetAppException e) {
            err.println("target-app: " + e.getMessage());
        } catch (OutOfMemoryError e) {
            err.println("target-app: a heap of " + (Runtime.getRuntime().maxMemory() >> 20) + " MB is too small for "
                    + options.users + " users; use fewer --users or a larger -Xmx");
        } catch (RuntimeException | Error e) {
            // Event loops may be running: without an exit the process would stay, and never become ready.
            err.println("target-app: cannot start: " + e);
        }
        return 1;
    }

    /**
     * Starts the application and returns when it is ready.
     *
     * @throws TargetAppException if a port is taken or the store cannot be loaded
     */
    static TargetApp launch(AppOptions options) {
        TargetApp app = new TargetApp(options);
        try {
            app.start();
            return app;
        } catch (RuntimeException | Error e) {
            app.close();
            throw e;
        }
    }

    /** Switches off what would only cost start-up time, and all messages below warnings. */
    private static void quietDown() {
        // Netty's resolver would resolve at most the name of one Redis server.
        System.setProperty("vertx.disableDnsResolver", "true");
        System.setProperty("vertx.disableWebsockets", "true");
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
        Logger.getLogger("").setLevel(Level.WARNING);
        METER_REGISTRY_LOGGER.setLevel(Level.SEVERE);
    }

    private void start() {
        if (options.needsNativeTransport && !vertx.isNativeTransportEnabled()) {
            throw new TargetAppException(
                    "cannot use epoll: its library does not load here; leave out --native-transport, --tcp-fastopen and"
                            + " --tcp-quickack for NIO, or, where the folder for temporary files is mounted noexec, set"
                            + " -Dio.netty.native.workdir=DIR",
                    null);
        }
        ExtraCpu extraCpu = extraCpu();
        Future<String> deployed = vertx.deployVerticle(
                () -> newVerticle(extraCpu), new DeploymentOptions().setInstances(options.instances));
        // The users are made while the event loops bind the port.
        UserStore inMemory = options.redisAddress == null ? new MemoryUserStore(options.users, options.maxUsers) : null;
        deployment = await(deployed, START_LIMIT_MS, "listen on " + options.host + ":" + options.port);
        if (options.echoPort >= 0) {
            echo = launchEcho(options.echoPort);
        }
        if (inMemory != null) {
            serve(() -> inMemory);
        } else {
            loadRedis();
            serve(this::newRedisStore);
        }
        if (extraCpu != null) {
            extraCpu.start();
        }
        if (options.leakBytesPerMinute > 0) {
            Leak leak = new Leak(options.leakBytesPerMinute, System.nanoTime());
            vertx.setPeriodic(Leak.STEP_MS, timer -> leak.step(System.nanoTime()));
        }
    }

    private HttpVerticle newVerticle(ExtraCpu extraCpu) {
        HttpVerticle verticle = new HttpVerticle(
                httpOptions(),
                new RequestRouter(
                        options.users,
                        options.maxBodyBytes,
                        metrics == null ? null : metrics::text,
                        extraCpu == null ? null : extraCpu.new Loop()));
        verticles.add(verticle);
        return verticle;
    }

    private ExtraCpu extraCpu() {
        if (options.extraCpuShare == 0) {
            return null;
        }
        if (!ExtraCpu.isSupported()) {
            throw new TargetAppException(
                    "--burn-cpu needs /proc/self/stat and thread CPU clocks, which this system lacks", null);
        }
        ExtraCpu extraCpu = ExtraCpu.ofThisProcess(options.extraCpuShare);
        if (metrics != null) {
            metrics.add(extraCpu);
        }
        return extraCpu;
    }

    private EchoServer launchEcho(int port) {
        try {
            return EchoServer.launch(
                    ((VertxInternal) vertx).getEventLoopGroup(), vertx.isNativeTransportEnabled(), options.host, port);
        } catch (Exception e) {
            // Netty rethrows the checked exception of the failed bind without declaring it.
            throw cannot("listen on " + options.host + ":" + port, e);
        }
    }

    private void loadRedis() {
        redisContext = vertx.getOrCreateContext();
        await(
                onRedisContext(() -> {
                    redis = newRedisStore();
                    return redis.load(options.users);
                }),
                START_LIMIT_MS,
                "load users into " + describeStore());
    }

    private Future<Void> onRedisContext(Supplier<Future<Void>> action) {
        Promise<Void> done = Promise.promise();
        redisContext.runOnContext(onLoop -> action.get().onComplete(done));
        return done.future();
    }

    private RedisUserStore newRedisStore() {
        return new RedisUserStore(vertx, options.redisAddress, options.redisHash(httpPort()), options.maxUsers);
    }

    private void serve(Supplier<UserStore> store) {
        for (HttpVerticle verticle : verticles) {
            await(verticle.serve(store), START_LIMIT_MS, "serve users");
        }
    }

    private VertxOptions vertxOptions() {
        return new VertxOptions()
                .setEventLoopPoolSize(options.instances)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(1)
                .setPreferNativeTransport(options.nativeTransport)
                // Requests that burn CPU block their event loop by design, so warn of nothing.
                .setBlockedThreadCheckInterval(1)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.DAYS)
                .setMaxEventLoopExecuteTime(1)
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.DAYS)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false));
    }

    private HttpServerOptions httpOptions() {
        return new HttpServerOptions()
                .setHost(options.host)
                // -1 takes one free port for all instances; 0 would take one for each.
                .setPort(options.port == 0 ? -1 : options.port)
                .setAcceptBacklog(ACCEPT_BACKLOG)
                .setTcpFastOpen(options.tcpFastOpen)
                .setTcpNoDelay(options.tcpNoDelay)
                .setTcpQuickAck(options.tcpQuickAck)
                // Saves loading the handlers of HTTP/2.
                .setHttp2ClearTextEnabled(false);
    }

    int httpPort() {
        return verticles.get(0).port();
    }

    int echoPort() {
        return echo.port();
    }

    /** One line of names and values, for people and programs; says that the application is ready. */
    String describe() {
        String host = options.host.contains(":") ? "[" + options.host + "]" : options.host;
        return "target-app ready: http://" + host + ":" + httpPort()
                + " store=" + describeStore()
                + " users=" + options.users
                + " instances=" + options.instances
                + " transport=" + (vertx.isNativeTransportEnabled() ? "epoll" : "nio")
                + (echo == null ? "" : " echo=" + echoPort())
                + (options.extraCpuShare > 0
                        ? String.format(Locale.ROOT, " burn-cpu=%.4g%%", options.extraCpuShare * 100)
                        : "")
                + (options.leakBytesPerMinute > 0 ? " leak=" + options.leakBytesPerMinute + "b/min" : "")
                + " jvm=\"" + System.getProperty("java.vm.name") + ' ' + System.getProperty("java.vm.version")
                + "\" pid=" + ProcessHandle.current().pid();
    }

    private String describeStore() {
        String address = options.redisAddress;
        return address == null ? "memory" : AppOptions.withoutPassword(address);
    }

    private static <T> T await(Future<T> future, long limitMs, String what) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(limitMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw cannot(what, e.getCause());
        } catch (TimeoutException e) {
            throw new TargetAppException("cannot " + what + ": no answer within " + limitMs + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TargetAppException("interrupted: cannot " + what, e);
        }
    }

    private static TargetAppException cannot(String what, Throwable failure) {
        String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        if (failure instanceof UnknownHostException) {
            reason = "unknown host";
        }
        String advice = reason.contains("in use") ? "; choose another port, or 0 for a free one" : "";
        return new TargetAppException("cannot " + what + ": " + reason.replace('\n', ' ') + advice, failure);
    }

    /** Answers the open requests and closes everything, within a second. Idempotent. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        long deadlineNs = System.nanoTime() + STOP_LIMIT_MS * 1_000_000;
        if (echo != null) {
            echo.close();
        }
        if (deployment != null) {
            awaitUntil(deadlineNs, vertx.undeploy(deployment));
        }
        if (redis != null) {
            awaitUntil(deadlineNs, onRedisContext(redis::clear));
        }
        awaitUntil(deadlineNs, vertx.close());
        if (metrics != null) {
            metrics.close();
        }
    }

    private static void awaitUntil(long deadlineNs, Future<?> future) {
        CountDownLatch done = new CountDownLatch(1);
        future.onComplete(result -> done.countDown());
        try {
            done.await(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
