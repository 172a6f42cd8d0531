package dev.lockstep.app;

import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The command line. Filled by picocli, checked by {@link #check}, then only read. */
@Command(
        name = "target-app",
        description = "A Vert.x service to aim at: users in a store, requests that burn CPU or allocate, a TCP echo.",
        sortOptions = false,
        mixinStandardHelpOptions = false)
final class AppOptions {
    private static final int ROOM_FOR_CREATED_USERS = 40_000;

    @Option(names = "--host", paramLabel = "ADDRESS", description = "Address to listen on (default: ${DEFAULT-VALUE}).")
    private String host = "127.0.0.1";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Port to listen on, 0 for a free one (default: ${DEFAULT-VALUE}).")
    private int port = 8080;

    @Option(
            names = "--users",
            paramLabel = "N",
            description = "Users that are there at the start (default: ${DEFAULT-VALUE}).")
    private int users = 10_000;

    @Option(
            names = "--max-users",
            paramLabel = "N",
            description = "Most users that the store may hold (default: 40000 more than --users).")
    private Integer maxUsers;

    @Option(
            names = "--print-users",
            description = "Print the ids of the users that are there at the start, one a line, and exit.")
    private boolean printUsers;

    @Option(
            names = "--store",
            paramLabel = "STORE",
            description =
                    "Where users are: memory, or redis://[:PASSWORD@]HOST:PORT[/DATABASE] (default: ${DEFAULT-VALUE}).")
    private String store = "memory";

    @Option(
            names = "--redis-hash",
            paramLabel = "KEY",
            description = "Redis key of the hash with this process's users; emptied at the start, removed at the end"
                    + " (default: lockstep:users:PORT).")
    private String redisHash;

    @Option(
            names = "--instances",
            paramLabel = "N",
            description = "Verticle instances, each with an event loop (default: the processors that the JVM sees).")
    private int instances = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--max-body",
            paramLabel = "BYTES",
            description = "Largest request body; a larger one is answered with 413 (default: ${DEFAULT-VALUE}).")
    private int maxBodyBytes = 65_536;

    @Option(
            names = "--native-transport",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Use epoll, or NIO with --no-native-transport (default: epoll where it loads).")
    private boolean nativeTransport;

    @Option(names = "--tcp-fastopen", description = "Set TCP_FASTOPEN on the listening socket; needs epoll.")
    private boolean tcpFastOpen;

    @Option(
            names = "--tcp-nodelay",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "Set TCP_NODELAY on connections, or not with --no-tcp-nodelay (default: set, as Vert.x does).")
    private boolean tcpNoDelay;

    @Option(names = "--tcp-quickack", description = "Set TCP_QUICKACK on connections; needs epoll.")
    private boolean tcpQuickAck;

    @Option(
            names = "--echo",
            paramLabel = "PORT",
            description = "Also listen on this port, 0 for a free one, and send back what is received.")
    private Integer echoPort;

    @Option(
            names = "--burn-cpu",
            paramLabel = "PERCENT",
            converter = PercentConverter.class,
            description =
                    "Use this share more user CPU time than needed, spread over the requests; 5%% and 5 are the same.")
    private double extraCpuShare;

    @Option(
            names = "--metrics",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "Measure with Micrometer and show it at /metrics, or not with --no-metrics (default: measure).")
    private boolean metrics;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this text and exit.")
    private boolean help;

    private static final class PercentConverter implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            try {
                String number = text.endsWith("%") ? text.substring(0, text.length() - 1) : text;
                return Double.parseDouble(number) / 100;
            } catch (NumberFormatException e) {
                throw new TypeConversionException("'" + text + "' is not a percentage, such as 5%");
            }
        }
    }

    /**
     * Checks what the types do not.
     *
     * @throws IllegalArgumentException naming the option, the rule and the value
     */
    void check() {
        require(port >= 0 && port <= 65_535, "--port", "from 0 to 65535", port);
        require(echoPort == null || echoPort >= 0 && echoPort <= 65_535, "--echo", "from 0 to 65535", echoPort);
        require(echoPort == null || echoPort == 0 || echoPort != port, "--echo", "another port than --port", echoPort);
        require(users >= 0 && users <= 1_000_000, "--users", "from 0 to 1000000", users);
        require(maxUsers == null || maxUsers >= users, "--max-users", "at least --users, " + users, maxUsers);
        require(instances >= 1 && instances <= 1024, "--instances", "from 1 to 1024", instances);
        require(maxBodyBytes >= 1 && maxBodyBytes <= 16 << 20, "--max-body", "from 1 to 16777216", maxBodyBytes);
        require(
                store.equals("memory") || store.startsWith("redis://"),
                "--store",
                "memory or redis://HOST:PORT",
                store);
        require(extraCpuShare >= 0 && extraCpuShare <= 10, "--burn-cpu", "from 0% to 1000%", extraCpuShare * 100 + "%");
        require(
                nativeTransport || !tcpFastOpen,
                "--tcp-fastopen",
                "used with the native transport",
                "--no-native-transport");
        require(
                nativeTransport || !tcpQuickAck,
                "--tcp-quickack",
                "used with the native transport",
                "--no-native-transport");
    }

    private static void require(boolean condition, String option, String rule, Object value) {
        if (!condition) {
            throw new IllegalArgumentException(option + " must be " + rule + ", not " + value);
        }
    }

    String host() {
        return host;
    }

    int port() {
        return port;
    }

    int users() {
        return users;
    }

    int maxUsers() {
        return maxUsers != null ? maxUsers : users + ROOM_FOR_CREATED_USERS;
    }

    boolean printUsers() {
        return printUsers;
    }

    /** Returns the Redis address, or null when users are in memory. */
    String redisAddress() {
        return store.equals("memory") ? null : store;
    }

    /** Returns the Redis key, given the port that the server really listens on. */
    String redisHash(int actualPort) {
        return redisHash != null ? redisHash : "lockstep:users:" + actualPort;
    }

    int instances() {
        return instances;
    }

    int maxBodyBytes() {
        return maxBodyBytes;
    }

    boolean nativeTransport() {
        return nativeTransport;
    }

    boolean tcpFastOpen() {
        return tcpFastOpen;
    }

    boolean tcpNoDelay() {
        return tcpNoDelay;
    }

    boolean tcpQuickAck() {
        return tcpQuickAck;
    }

    /** Returns the port of the echo server, or null when there is none. */
    Integer echoPort() {
        return echoPort;
    }

    double extraCpuShare() {
        return extraCpuShare;
    }

    boolean metrics() {
        return metrics;
    }
}
