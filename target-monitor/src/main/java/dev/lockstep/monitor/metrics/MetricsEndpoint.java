package dev.lockstep.monitor.metrics;

import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Reads what a server tells of its own cost. A reading costs the server CPU time, a millisecond or some, and may take
 * seconds: nothing is measured meanwhile. Between two readings the server is left alone. Used by one thread at a time;
 * its connections end when the server closes them or when they have not been used for a while.
 */
public abstract class MetricsEndpoint {
    /** How long an answer may take, from the connection to its last byte. */
    public static final Duration PATIENCE = Duration.ofSeconds(5);

    static final String NOTHING_THERE = "nothing answers there (connection refused, or no such host)";

    private final MetricsSource source;

    MetricsEndpoint(MetricsSource source) {
        this.source = source;
    }

    /** @param tls whom to trust where the URL says https; null for those that the Java runtime trusts */
    public static MetricsEndpoint of(MetricsSource source, SSLContext tls) {
        return of(source, PATIENCE, tls);
    }

    static MetricsEndpoint of(MetricsSource source, Duration patience, SSLContext tls) {
        return source.format() == MetricsSource.Format.JMX
                ? new JmxEndpoint(source, patience)
                : new HttpEndpoint(source, patience, tls);
    }

    /**
     * Asks once.
     *
     * @throws MetricsException where nothing answers in time, or what it answers tells no CPU time; the message begins
     *     with the place
     * @throws InterruptedException when the caller is interrupted
     */
    public final MetricsReading read() throws MetricsException, InterruptedException {
        try {
            return ask();
        } catch (MetricsException e) {
            throw new MetricsException("its metrics at " + source + ": " + e.getMessage());
        }
    }

    /**
     * Asks once over a connection of its own: of several processes that share a port, another one may answer. Asks
     * nothing, and returns nothing, where every connection leads to one process.
     */
    public final Optional<MetricsReading> readAnew() throws MetricsException, InterruptedException {
        try {
            return askAnew();
        } catch (MetricsException e) {
            throw new MetricsException("its metrics at " + source + ": " + e.getMessage());
        }
    }

    /** Does so; a message does not name the place. */
    abstract Optional<MetricsReading> askAnew() throws MetricsException, InterruptedException;

    /** Asks once; a message does not name the place. */
    abstract MetricsReading ask() throws MetricsException, InterruptedException;

    static MetricsException late(Duration patience) {
        return new MetricsException("no whole answer within " + patience.toMillis() / 1e3 + " s");
    }
}
