package dev.lockstep.monitor.metrics;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanInfo;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** JVMs that offer JMX on a loopback port, and ports that do not. */
@Timeout(60)
final class JmxEndpointTest {
    private static final String SECRET = "abc-secret";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @TempDir
    private Path folder;

    private final List<Process> processes = new ArrayList<>();

    /** A JVM that does nothing but burn CPU and collect for each byte that it is sent. */
    static final class Burner {
        private static volatile Object garbage;

        private Burner() {}

        public static void main(String[] arguments) throws IOException {
            System.out.write('r');
            System.out.flush();
            while (System.in.read() >= 0) {
                long endNs = System.nanoTime() + 50_000_000;
                while (System.nanoTime() < endNs) {
                    garbage = new byte[1024];
                }
                System.gc();
                System.out.write('d');
                System.out.flush();
            }
        }
    }

    @AfterEach
    void stop() {
        processes.forEach(Process::destroyForcibly);
    }

    private Process start(int port, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dcom.sun.management.jmxremote.port=" + port,
                "-Dcom.sun.management.jmxremote.rmi.port=" + port,
                "-Dcom.sun.management.jmxremote.host=127.0.0.1",
                "-Djava.rmi.server.hostname=127.0.0.1",
                "-Dcom.sun.management.jmxremote.ssl=false"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Burner.class.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(folder.resolve("errors-" + processes.size()).toFile())
                .start();
        processes.add(process);
        assertEquals('r', process.getInputStream().read(), () -> {
            try {
                return Files.readString(folder.resolve("errors-" + (processes.size() - 1)));
            } catch (IOException e) {
                return e.toString();
            }
        });
        return process;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static boolean hasTotalAllocation() throws JMException {
        String[] words = MBeanCosts.ALLOCATED.split(" ");
        MBeanInfo info = ManagementFactory.getPlatformMBeanServer().getMBeanInfo(ObjectName.getInstance(words[0]));
        return Arrays.stream(info.getAttributes())
                .anyMatch(attribute -> attribute.getName().equals(words[1]));
    }

    private static MetricsSource source(int port) {
        return MetricsSource.of("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi", null, Map.of());
    }

    private static String refusal(MetricsSource source, Duration patience) {
        String message = assertThrows(MetricsException.class, () -> MetricsEndpoint.of(source, patience, null)
                        .read())
                .getMessage();
        assertTrue(message.startsWith("its metrics at service:jmx:rmi:///jndi/rmi://127.0.0.1:"), message);
        assertFalse(message.contains(SECRET) || message.contains("\n"), message);
        return message;
    }

    @Test
    void readsWhatAJvmUsesAndGoesOnWithTheNextOneAtItsPort() throws Exception {
        int port = freePort();
        Process process = start(port, "-Dcom.sun.management.jmxremote.authenticate=false");
        MetricsEndpoint endpoint = MetricsEndpoint.of(source(port), PATIENCE, null);

        MetricsReading before = endpoint.read();
        process.getOutputStream().write('b');
        process.getOutputStream().flush();
        assertEquals('d', process.getInputStream().read());
        MetricsReading after = endpoint.read();

        assertEquals(
                List.of(MBeanCosts.CPU, MBeanCosts.COLLECTORS, MBeanCosts.HEAP),
                after.sources().subList(0, 3));
        Costs costs = after.costs().since(before.costs());
        assertTrue(costs.cpuNs().orElseThrow() > 20_000_000, costs + "");
        assertTrue(costs.get(Cost.GC_CYCLES).orElseThrow() >= 1, costs + "");
        assertTrue(costs.get(Cost.HEAP_USED).orElseThrow() > 0, costs + "");
        assertEquals(
                hasTotalAllocation(), after.sources().contains(MBeanCosts.ALLOCATED), "as this JVM, which is the same");
        double started = process.info().startInstant().orElseThrow().toEpochMilli() / 1e3;
        assertEquals(started, after.startedAt().orElseThrow(), 10);
        assertEquals(Optional.empty(), endpoint.readAnew(), "its port is that of one JVM");

        process.destroyForcibly().waitFor();
        assertTrue(assertThrows(MetricsException.class, endpoint::read)
                .getMessage()
                .contains("nothing answers there"));
        start(port, "-Dcom.sun.management.jmxremote.authenticate=false");
        assertTrue(endpoint.read().startedAt().orElseThrow() > after.startedAt().orElseThrow());
    }

    @Test
    void asksAsAUserAndTellsNobodyThePassword() throws Exception {
        int port = freePort();
        Path passwords = Files.writeString(folder.resolve("passwords"), "me " + SECRET + "\n");
        Files.setPosixFilePermissions(passwords, PosixFilePermissions.fromString("rw-------"));
        Path access = Files.writeString(folder.resolve("access"), "me readonly\n");
        start(
                port,
                "-Dcom.sun.management.jmxremote.authenticate=true",
                "-Dcom.sun.management.jmxremote.password.file=" + passwords,
                "-Dcom.sun.management.jmxremote.access.file=" + access);

        assertTrue(MetricsEndpoint.of(source(port).as("me", SECRET), PATIENCE, null)
                        .read()
                        .cpuNs()
                > 0);
        assertTrue(refusal(source(port), PATIENCE).contains("asks for a user and a password"));
        assertTrue(refusal(source(port).as("me", "wrong-" + SECRET), PATIENCE)
                .endsWith("user and password are not accepted"));
        MetricsSource otherName =
                MetricsSource.of("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/karaf", null, Map.of());
        assertTrue(refusal(otherName, PATIENCE).contains("a JMX server of the name 'karaf', found none"));
    }

    @Test
    void saysWhatToDoAboutARegistryThatNamesAnotherAddress() throws Exception {
        int port = freePort();
        start(
                port,
                "-Dcom.sun.management.jmxremote.authenticate=false",
                // Of two the JVM takes the last.
                "-Djava.rmi.server.hostname=127.0.0.2");
        assertTrue(refusal(source(port), PATIENCE).contains("start it with -Djava.rmi.server.hostname=HOST"));
    }

    @Test
    void saysWhatIsAtThePortInstead() throws Exception {
        assertTrue(refusal(source(freePort()), PATIENCE).contains("nothing answers there"));
        // Not the JDK's HTTP server: it awaits the end of a line, which RMI's first bytes hold by chance only.
        try (ServerSocket http = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> answer = CompletableFuture.runAsync(() -> {
                try (Socket client = http.accept()) {
                    client.getInputStream().readNBytes("JRMI".length() + 2 + 1);
                    client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            assertTrue(refusal(source(http.getLocalPort()), PATIENCE).contains("expected JMX over RMI, found"));
            answer.get(10, TimeUnit.SECONDS);
        }
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertTrue(refusal(source(silent.getLocalPort()), Duration.ofMillis(50))
                    .contains("no whole answer within 0.05 s"));
        }
    }

    @Test
    void takesOnlyTheUrlsOfARegistry() {
        for (String url : new String[] {
            "service:jmx:rmi:///jndi/ldap://192.0.2.1/x",
            "service:jmx:rmi:///stub/rO0ABX",
            "service:jmx:jmxmp://127.0.0.1:9010",
            "service:jmx:rmi:///jndi/rmi://me:" + SECRET + "@127.0.0.1:9010/jmxrmi",
            "service:jmx:rmi:///jndi/rmi://127.0.0.1:9010/"
        }) {
            String message = assertThrows(
                            IllegalArgumentException.class, () -> MetricsSource.of(url, null, Map.of()), url)
                    .getMessage();
            assertTrue(message.startsWith("expected a URL such as service:jmx:rmi:///jndi/rmi://"), message);
            assertFalse(message.contains(SECRET), message);
        }
        String url = "service:jmx:rmi:///jndi/rmi://[::1]:9010/jmxrmi";
        MetricsSource source = MetricsSource.of(url, null, Map.of());
        assertEquals(url, source.toString());
        assertEquals(source, MetricsSource.of(url, MetricsSource.Format.JMX, Map.of()));
        assertFalse(source.equals(source.as("me", SECRET)));
        assertFalse(source.as("me", SECRET).toString().contains(SECRET));
        MetricsSource elsewhere =
                MetricsSource.of("service:jmx:rmi:///jndi/rmi://192.0.2.1:9010/jmxrmi", null, Map.of());
        refused(() -> elsewhere.as("me", SECRET), "expected an address of this machine for a password");
        refused(
                () -> MetricsSource.of("http://127.0.0.1/", null, Map.of()).as("me", SECRET),
                "expected user and password with JMX only");
        refused(() -> MetricsSource.of(url, null, Map.of("A", SECRET)), "expected no headers");
        refused(() -> MetricsSource.of(url, MetricsSource.Format.JOLOKIA, Map.of()), "expected the format jmx");
        refused(
                () -> MetricsSource.of("http://127.0.0.1/", MetricsSource.Format.JMX, Map.of()),
                "expected a URL such as service:jmx:rmi");
    }

    private static void refused(org.junit.jupiter.api.function.Executable asked, String part) {
        String message = assertThrows(IllegalArgumentException.class, asked).getMessage();
        assertTrue(message.contains(part) && !message.contains(SECRET), message);
    }
}
