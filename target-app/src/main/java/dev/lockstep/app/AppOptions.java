package dev.lockstep.app;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The command line. {@link #parse} fills and checks it completely; then it is only read.
 *
 * <p>Design note: parsed by hand. picocli took 125 to 330 ms of the start on the machine where this was written, with
 * and without annotations, in JDK 17 and 25: a fifth of the start-up time that a comparison measures.
 */
final class AppOptions {
    static final String HELP = String.join(
            System.lineSeparator(),
            "Usage: target-app [OPTION]...",
            "A Vert.x service to aim at: users in a store, requests that burn CPU or allocate, a TCP echo.",
            "",
            "      --host ADDRESS          address to listen on (default: 127.0.0.1)",
            "      --port PORT             port to listen on, 0 for a free one (default: 8080)",
            "      --users N               users that are there at the start (default: 10000)",
            "      --max-users N           most users that the store may hold (default: 40000 more than --users)",
            "      --print-users           print the ids of the users of the start, one a line, and exit",
            "      --store STORE           memory, or redis://[:PASSWORD@]HOST:PORT[/DATABASE] (default: memory)",
            "      --redis-hash KEY        Redis key of the hash with this process's users; emptied at the start,",
            "                              removed at the end (default: lockstep:users:PORT)",
            "      --instances N           verticle instances, each with an event loop (default: the processors that",
            "                              the JVM sees)",
            "      --max-body BYTES        largest request body; a larger one is answered with 413 (default: 65536)",
            "      --native-transport, --no-native-transport",
            "                              use epoll, or NIO (default: epoll where it loads)",
            "      --tcp-fastopen          set TCP_FASTOPEN on the listening socket; epoll only",
            "      --tcp-nodelay, --no-tcp-nodelay",
            "                              set TCP_NODELAY on connections (default), or not",
            "      --tcp-quickack          set TCP_QUICKACK on connections; epoll only",
            "      --echo PORT             also listen on this port, 0 for a free one, and send back what comes",
            "      --burn-cpu PERCENT      use this share more CPU time than needed, spread over the requests",
            "      --leak SIZE/min         keep so much more of the heap every minute for ever, for example 1m/min",
            "      --metrics, --no-metrics",
            "                              measure with Micrometer and show it at /metrics (default), or not",
            "  -h, --help                  show this text and exit");

    private static final int ROOM_FOR_CREATED_USERS = 40_000;
    private static final int MAX_PORT = 65_535;
    private static final int MAX_USERS = 10_000_000;
    private static final int MAX_INSTANCES = 1_024;
    private static final int MAX_BODY_BYTES = 16 << 20;
    private static final int MAX_BURN_PERCENT = 1_000;
    private static final Pattern LEAK = Pattern.compile("([1-9][0-9]{0,5})([bkmg])/min");
    /** Each is 1024 times the previous one. */
    private static final String SIZE_UNITS = "bkmg";

    String host = "127.0.0.1";
    int port = 8080;
    int users = 10_000;
    int maxUsers = -1;
    boolean printUsers;
    /** Null if users are in memory. */
    String redisAddress;

    private String redisHash;
    int instances = Runtime.getRuntime().availableProcessors();
    int maxBodyBytes = 65_536;
    boolean nativeTransport = true;
    /** Whether NIO, where epoll does not load, would be something else than was asked for. */
    boolean needsNativeTransport;

    boolean tcpFastOpen;
    boolean tcpNoDelay = true;
    boolean tcpQuickAck;
    /** 0 for a free port, -1 for no echo server. */
    int echoPort = -1;
    /** A share of the CPU time that is needed; 0 for none. */
    double extraCpuShare;
    /** 0 for no leak. */
    long leakBytesPerMinute;

    boolean metrics = true;
    boolean help;

    private AppOptions() {}

    /**
     * Reads a command line; {@code --port 80} and {@code --port=80} are the same.
     *
     * @throws IllegalArgumentException naming the option, the rule and the value
     */
    static AppOptions parse(String... arguments) {
        AppOptions options = new AppOptions();
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
            String option = equals < 0 ? argument : argument.substring(0, equals);
            if (options.isSwitch(option)) {
                if (equals >= 0) {
                    throw new IllegalArgumentException(option + " takes no value, found '" + argument + "'");
                }
            } else {
                String next = i + 1 < arguments.length ? arguments[i + 1] : null;
                options.set(option, equals < 0 ? next : argument.substring(equals + 1));
                i += equals < 0 ? 1 : 0;
            }
        }
        options.check();
        return options;
    }

    /** Applies an option that takes no value; returns whether it is one. */
    private boolean isSwitch(String option) {
        switch (option) {
            case "--print-users":
                printUsers = true;
                return true;
            case "--native-transport":
            case "--no-native-transport":
                nativeTransport = option.equals("--native-transport");
                needsNativeTransport = nativeTransport;
                return true;
            case "--tcp-fastopen":
                tcpFastOpen = true;
                return true;
            case "--tcp-nodelay":
            case "--no-tcp-nodelay":
                tcpNoDelay = option.equals("--tcp-nodelay");
                return true;
            case "--tcp-quickack":
                tcpQuickAck = true;
                return true;
            case "--metrics":
            case "--no-metrics":
                metrics = option.equals("--metrics");
                return true;
            case "-h":
            case "--help":
                help = true;
                return true;
            default:
                return false;
        }
    }

    private void set(String option, String value) {
        switch (option) {
            case "--host":
                host = text(option, value);
                break;
            case "--port":
                port = number(option, value, 0, MAX_PORT);
                break;
            case "--users":
                users = number(option, value, 0, MAX_USERS);
                break;
            case "--max-users":
                maxUsers = number(option, value, 0, Integer.MAX_VALUE);
                break;
            case "--store":
                redisAddress = redisAddress(option, text(option, value));
                break;
            case "--redis-hash":
                redisHash = text(option, value);
                break;
            case "--instances":
                instances = number(option, value, 1, MAX_INSTANCES);
                break;
            case "--max-body":
                maxBodyBytes = number(option, value, 1, MAX_BODY_BYTES);
                break;
            case "--echo":
                echoPort = number(option, value, 0, MAX_PORT);
                break;
            case "--burn-cpu":
                extraCpuShare = percent(option, value) / 100;
                break;
            case "--leak":
                leakBytesPerMinute = bytesPerMinute(option, text(option, value));
                break;
            default:
                throw new IllegalArgumentException("unknown option '" + option + "'");
        }
    }

    private static String text(String option, String value) {
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return value;
    }

    private static int number(String option, String value, int min, int max) {
        int number;
        try {
            number = Integer.parseInt(text(option, value));
        } catch (NumberFormatException e) {
            number = -1;
        }
        if (number < min || number > max) {
            throw new IllegalArgumentException(
                    option + " must be a whole number from " + min + " to " + max + ", not '" + value + "'");
        }
        return number;
    }

    private static double percent(String option, String value) {
        String number = text(option, value);
        if (number.endsWith("%")) {
            number = number.substring(0, number.length() - 1);
        }
        double percent;
        try {
            percent = Double.parseDouble(number);
        } catch (NumberFormatException e) {
            percent = -1;
        }
        // In this form NaN fails too.
        if (!(percent >= 0 && percent <= MAX_BURN_PERCENT)) {
            throw new IllegalArgumentException(
                    option + " must be a percentage from 0% to " + MAX_BURN_PERCENT + "%, not '" + value + "'");
        }
        return percent;
    }

    private static long bytesPerMinute(String option, String value) {
        Matcher size = LEAK.matcher(value);
        if (!size.matches()) {
            throw new IllegalArgumentException(
                    option + " must be an amount of memory a minute such as 1m/min or 500k/min, not '" + value + "'");
        }
        return Long.parseLong(size.group(1)) << SIZE_UNITS.indexOf(size.group(2)) * 10;
    }

    private static String redisAddress(String option, String store) {
        if (store.equals("memory")) {
            return null;
        }
        String authority = store.startsWith("redis://") ? store.substring("redis://".length()) : "";
        if (!authority.matches("([^@/]*@)?([^@:/\\[\\]]+|\\[[0-9a-fA-F:.]+\\])(:[0-9]{1,5})?(/[0-9]{0,4})?")) {
            throw new IllegalArgumentException(option
                    + " must be memory or redis://[:PASSWORD@]HOST:PORT[/DATABASE], not '" + withoutPassword(store)
                    + "'");
        }
        if (!isAddress(store)) {
            throw new IllegalArgumentException(option
                    + " must have an IP address, or a name of letters, digits and hyphens, as its host, a port up to "
                    + MAX_PORT + ", and %XX for special characters in a password, not '" + withoutPassword(store)
                    + "'");
        }
        return store;
    }

    /** The client takes an address in which Java finds no host, as with an underscore, for one of localhost. */
    private static boolean isAddress(String store) {
        try {
            URI address = new URI(store);
            return address.getHost() != null
                    && address.getPort() <= MAX_PORT
                    && (address.getRawUserInfo() != null || !store.contains("@"));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    static String withoutPassword(String address) {
        int at = address.lastIndexOf('@');
        return at < 0 ? address : "redis://" + address.substring(at + 1);
    }

    private void check() {
        if (maxUsers < 0) {
            maxUsers = users + ROOM_FOR_CREATED_USERS;
        }
        if (maxUsers < users) {
            throw new IllegalArgumentException("--max-users must be at least --users, " + users + ", not " + maxUsers);
        }
        if (echoPort > 0 && echoPort == port) {
            throw new IllegalArgumentException("--echo must be another port than --port, " + port);
        }
        if (!nativeTransport && (tcpFastOpen || tcpQuickAck)) {
            throw new IllegalArgumentException((tcpFastOpen ? "--tcp-fastopen" : "--tcp-quickack")
                    + " needs the native transport: leave out --no-native-transport");
        }
        needsNativeTransport |= tcpFastOpen || tcpQuickAck;
        if (redisHash != null && redisAddress == null) {
            throw new IllegalArgumentException("--redis-hash needs --store redis://HOST:PORT");
        }
    }

    /** The default key has the port that the server really listens on. */
    String redisHash(int actualPort) {
        return redisHash != null ? redisHash : "lockstep:users:" + actualPort;
    }
}
