package dev.lockstep.replayer.engine;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.lockstep.replayer.ReplayException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How many connections this process can hold: by its limit of file descriptors and by this machine's local ports. A run
 * that needs more is refused before it begins. Where the system does not say, there is no limit.
 *
 * <p>The JVM itself raises the soft limit of descriptors to the hard one.
 */
public final class ConnectionLimits {
    private static final Path LOCAL_PORTS = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    /** Event loops, result files, pipes to the targets' processes. */
    private static final long KEPT_FREE = 64;
    /** More than a run has open before it connects, and what is kept free. */
    private static final long FOR_ALL_ELSE = 512;

    private final long descriptors;
    private final long open;
    private final long ports;

    ConnectionLimits(long descriptors, long open, long ports) {
        this.descriptors = descriptors;
        this.open = open;
        this.ports = ports;
    }

    /** The present limits of this process. */
    public static ConnectionLimits ofThisProcess() {
        long descriptors = Long.MAX_VALUE;
        long open = 0;
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        if (system instanceof UnixOperatingSystemMXBean) {
            descriptors = ((UnixOperatingSystemMXBean) system).getMaxFileDescriptorCount();
            open = ((UnixOperatingSystemMXBean) system).getOpenFileDescriptorCount();
        }
        return new ConnectionLimits(descriptors, open, localPorts());
    }

    static long localPorts() {
        // The kernel gives it all to the first read only; Files.readString begins with one of a single byte.
        try (InputStream in = Files.newInputStream(LOCAL_PORTS)) {
            byte[] content = new byte[64];
            int length = in.read(content);
            String[] range = new String(content, 0, length, StandardCharsets.US_ASCII)
                    .trim()
                    .split("\\s+");
            return Long.parseLong(range[1]) - Long.parseLong(range[0]) + 1;
        } catch (IOException | RuntimeException e) {
            return Long.MAX_VALUE;
        }
    }

    /**
     * Returns how many connections can be open to each of so many targets at addresses of their own, 1 at least. It is
     * the same each time under the same limits, whatever is open at the moment.
     */
    public long mostToEach(int targets) {
        return Math.max(1, Math.min(ports, (descriptors - FOR_ALL_ELSE) / targets));
    }

    /**
     * Checks that this many connections can be open at the same time.
     *
     * @param targets how many targets there are
     * @param sameAddress how many of them have the same address, at most
     * @param connections to each target
     * @param recorded whether these are the capture's, so that the user cannot choose fewer
     * @throws ReplayException where they cannot
     */
    public void check(int targets, int sameAddress, int connections, boolean recorded) {
        String what = recorded ? "recorded connections that are open at the same time" : "connections";
        String instead = recorded ? "or send the requests over fewer, with -c " : "or use at most -c ";
        long needed = (long) targets * connections;
        if (needed > descriptors - open - KEPT_FREE) {
            long wanted = needed + open + KEPT_FREE;
            throw new ReplayException(String.format(
                    "%d %s to each of %d target(s) need %d open files; this process may have %d, %d of them in use;"
                            + " raise the limit in the shell that starts Lockstep (ulimit -n %d; root raises the hard limit:"
                            + " ulimit -Hn, or LimitNOFILE= of a service), %s%d",
                    connections,
                    what,
                    targets,
                    wanted,
                    descriptors,
                    open,
                    wanted,
                    instead,
                    Math.max(0, descriptors - open - KEPT_FREE) / targets));
        }
        if ((long) sameAddress * connections > ports) {
            throw new ReplayException(String.format(
                    "%d %s to one address need as many local ports; this machine has %d (%s); widen the range"
                            + " (sysctl net.ipv4.ip_local_port_range=\"1024 65535\"), %s%d",
                    (long) sameAddress * connections, what, ports, LOCAL_PORTS, instead, ports / sameAddress));
        }
    }
}
