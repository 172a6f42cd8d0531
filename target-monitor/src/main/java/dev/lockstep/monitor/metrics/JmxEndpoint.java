package dev.lockstep.monitor.metrics;

import java.io.IOException;
import java.net.URI;
import java.rmi.NotBoundException;
import java.rmi.Remote;
import java.rmi.UnknownHostException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.rmi.RMIConnector;
import javax.management.remote.rmi.RMIServer;
import javax.net.ssl.SSLException;

/**
 * Asks a JVM by Java's own remote calls, as {@code -Dcom.sun.management.jmxremote.port} offers them. RMI knows no limit
 * of time, so a thread of its own asks, and is given up where it takes too long. The connection stays for the next
 * reading; the JVM ends one that has not been used for two minutes, and the next reading makes it anew.
 */
final class JmxEndpoint extends MetricsEndpoint {
    private static final int REGISTRY_PORT = 1099;

    private final MetricsSource source;
    private final Duration patience;
    /** Of the last reading; null where there was none or it failed. */
    private Connection connection;

    JmxEndpoint(MetricsSource source, Duration patience) {
        super(source);
        this.source = source;
        this.patience = patience;
    }

    @Override
    MetricsReading ask() throws MetricsException, InterruptedException {
        Connection kept = connection;
        connection = null;
        CompletableFuture<Answer> asked = new CompletableFuture<>();
        Thread thread = new Thread(() -> answer(kept, asked), "lockstep-jmx");
        thread.setDaemon(true);
        thread.start();
        try {
            Answer answer = asked.get(patience.toNanos(), TimeUnit.NANOSECONDS);
            connection = answer.connection;
            return answer.reading;
        } catch (TimeoutException e) {
            throw late(patience);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof MetricsException
                    ? (MetricsException) e.getCause()
                    : new MetricsException(PrometheusText.shown(e.getCause().toString()));
        } finally {
            // Late, or nobody waits for it any more: the thread then closes what it has.
            asked.cancel(false);
        }
    }

    /** Its port is the JVM's own. */
    @Override
    Optional<MetricsReading> askAnew() {
        return Optional.empty();
    }

    private void answer(Connection kept, CompletableFuture<Answer> asked) {
        Connection open = kept;
        try {
            MetricsReading reading = null;
            if (open != null) {
                reading = open.readIfAlive();
            }
            if (reading == null) {
                open = Connection.open(source);
                reading = open.read();
            }
            if (!asked.complete(new Answer(open, reading))) {
                open.close();
            }
        } catch (IOException e) {
            close(open);
            asked.completeExceptionally(new MetricsException(reason(e)));
        } catch (MetricsException | RuntimeException | Error e) {
            close(open);
            asked.completeExceptionally(e);
        }
    }

    private static void close(Connection connection) {
        if (connection != null) {
            connection.close();
        }
    }

    private static String reason(IOException failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof java.net.ConnectException
                || cause instanceof java.net.UnknownHostException
                || failure instanceof UnknownHostException) {
            return NOTHING_THERE;
        }
        String message = PrometheusText.shown(cause.getMessage() == null ? cause.toString() : cause.getMessage());
        return cause instanceof SSLException
                ? "TLS: " + message + "; LOCKSTEP_JAVA_OPTS with -Djavax.net.ssl.trustStore=FILE says whom to trust"
                : "expected JMX over RMI, found '" + message + "'";
    }

    private static final class Answer {
        private final Connection connection;
        private final MetricsReading reading;

        Answer(Connection connection, MetricsReading reading) {
            this.connection = connection;
            this.reading = reading;
        }
    }

    /** An open connection; used by one thread after the other. */
    private static final class Connection {
        private final JMXConnector connector;
        private final MBeanServerConnection beans;

        private Connection(JMXConnector connector, MBeanServerConnection beans) {
            this.connector = connector;
            this.beans = beans;
        }

        static Connection open(MetricsSource source) throws IOException, MetricsException {
            Map<String, Object> environment = new HashMap<>();
            // No heartbeats: the server has nothing to do but its work and the readings.
            environment.put("jmx.remote.x.client.connection.check.period", 0L);
            source.login().ifPresent(login -> environment.put(JMXConnector.CREDENTIALS, login));
            JMXConnector connector = new RMIConnector(server(source.url()), environment);
            try {
                connector.connect(environment);
                return new Connection(connector, connector.getMBeanServerConnection());
            } catch (java.rmi.ConnectException | UnknownHostException e) {
                throw new MetricsException("its registry answers, but names an address where nothing does: start it"
                        + " with -Djava.rmi.server.hostname=HOST, with which it can be reached from here");
            } catch (SecurityException e) {
                // The message can have the user's name.
                throw new MetricsException(
                        source.login().isPresent()
                                ? "user and password are not accepted"
                                : "asks for a user and a password, as metrics: {url: ..., user: NAME, password:"
                                        + " ${VARIABLE}} in the targets file");
            }
        }

        /** Looks the server up as JNDI would, but for it a Java runtime may lack the module. */
        private static RMIServer server(URI url) throws IOException, MetricsException {
            String host = url.getHost().replace("[", "").replace("]", "");
            String name = url.getPath().substring(1);
            Registry registry = LocateRegistry.getRegistry(host, url.getPort() < 0 ? REGISTRY_PORT : url.getPort());
            try {
                Remote found = registry.lookup(name);
                if (found instanceof RMIServer) {
                    return (RMIServer) found;
                }
                throw new MetricsException("expected a JMX server of the name '" + name + "', found another object");
            } catch (NotBoundException e) {
                throw new MetricsException("expected a JMX server of the name '" + name + "', found none; a JVM's own"
                        + " is jmxremote's 'jmxrmi'");
            }
        }

        /** Returns null where the connection has ended meanwhile. */
        MetricsReading readIfAlive() throws MetricsException {
            try {
                return read();
            } catch (IOException e) {
                close();
                return null;
            }
        }

        MetricsReading read() throws IOException, MetricsException {
            OptionalLong cpuNs = number(MBeanCosts.CPU);
            if (cpuNs.isEmpty()) {
                throw new MetricsException("expected " + MBeanCosts.CPU + ", found none");
            }
            MBeanCosts costs = new MBeanCosts(cpuNs.getAsLong());
            number(MBeanCosts.STARTED).ifPresent(costs::started);
            for (ObjectName collector : collectors()) {
                Map<String, Object> values = values(collector, MBeanCosts.COLLECTION_COUNT, MBeanCosts.COLLECTION_TIME);
                OptionalLong count = number(values.get(MBeanCosts.COLLECTION_COUNT));
                OptionalLong timeMs = number(values.get(MBeanCosts.COLLECTION_TIME));
                if (count.isPresent() && timeMs.isPresent()) {
                    costs.collector(collector.getKeyProperty("name"), count.getAsLong(), timeMs.getAsLong());
                }
            }
            Object heap = value(MBeanCosts.HEAP);
            if (heap instanceof CompositeData && ((CompositeData) heap).containsKey("used")) {
                number(((CompositeData) heap).get("used")).ifPresent(costs::heapUsed);
            }
            number(MBeanCosts.ALLOCATED).ifPresent(costs::allocated);
            return costs.reading();
        }

        private Set<ObjectName> collectors() throws IOException {
            return beans.queryNames(name(MBeanCosts.COLLECTORS), null);
        }

        private OptionalLong number(String attribute) throws IOException, MetricsException {
            return number(value(attribute));
        }

        /** Returns a whole number; MBeans say -1 of what they do not know. */
        private static OptionalLong number(Object value) {
            return value instanceof Long && (Long) value >= 0 ? OptionalLong.of((Long) value) : OptionalLong.empty();
        }

        /** Returns null where the JVM has no such attribute. */
        private Object value(String attribute) throws IOException, MetricsException {
            String[] words = attribute.split(" ");
            return values(name(words[0]), words[1]).get(words[1]);
        }

        /** Returns those attributes that it has. */
        private Map<String, Object> values(ObjectName bean, String... attributes) throws IOException, MetricsException {
            Map<String, Object> values = new HashMap<>();
            try {
                for (Attribute found : beans.getAttributes(bean, attributes).asList()) {
                    values.put(found.getName(), found.getValue());
                }
            } catch (InstanceNotFoundException e) {
                return values;
            } catch (JMException e) {
                throw new MetricsException("expected " + bean + ", found " + PrometheusText.shown(e.toString()));
            } catch (SecurityException e) {
                throw new MetricsException("user may not read " + bean + "; it takes readonly access");
            }
            return values;
        }

        private static ObjectName name(String name) {
            try {
                return ObjectName.getInstance(name);
            } catch (JMException e) {
                throw new IllegalArgumentException(e);
            }
        }

        void close() {
            try {
                connector.close();
            } catch (IOException e) {
                // The other side has ended it.
            }
        }
    }
}
