package dev.lockstep.cli.captures;

import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.BytesConverter;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.recorder.PassiveConfig;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Option;

/** The options of a recording that looks at a network interface's packets. */
@Heading("From an interface's packets")
final class PassiveOptions {
    @Option(
            names = {"-i", "--interface"},
            paramLabel = "NAME",
            description = "Records the packets of this interface, or of any; needs Linux and CAP_NET_RAW.")
    String interfaceName;

    @Option(
            names = "--port",
            split = ",",
            paramLabel = "PORT",
            description = "TCP ports of the services to record, at most 32.")
    int[] ports;

    @Option(
            names = "--snaplen",
            paramLabel = "N",
            description = "Looks at this many bytes of a packet, 128 to 1048576; what is cut off counts as "
                    + "missing. Default: all.")
    private Integer snapBytes;

    @Option(
            names = "--ring",
            paramLabel = "BYTES",
            converter = BytesConverter.class,
            description = "Size of the ring into which the kernel puts packets, 1m to 16g. Default: 64m.")
    private Long ringBytes;

    /** Returns the first of the options that was given, or null for none. */
    String given() {
        return interfaceName != null
                ? "--interface"
                : ports != null ? "--port" : snapBytes != null ? "--snaplen" : ringBytes != null ? "--ring" : null;
    }

    void addTo(PassiveConfig.Builder config) {
        if (interfaceName == null || ports == null) {
            throw new UsageException(
                    interfaceName == null
                            ? given() + ": expected --interface beside it, found none"
                            : "--interface: expected --port beside it, found none");
        }
        check();
        config.interfaceName(interfaceName).ports(ports);
        if (snapBytes != null) {
            config.snapBytes(snapBytes);
        }
        if (ringBytes != null) {
            config.ringBytes(ringBytes);
        }
    }

    /** Says in the options' words what the configuration's check would say in those of its fields. */
    private void check() {
        int nameBytes = interfaceName.getBytes(StandardCharsets.UTF_8).length;
        if (nameBytes < 1 || nameBytes > 15) {
            throw new UsageException("--interface: expected a name of 1 to 15 bytes, found '" + interfaceName + "'");
        }
        if (ports.length > 32) {
            throw new UsageException("--port: expected at most 32 ports, found " + ports.length);
        }
        for (int port : ports) {
            if (port < 1 || port > 65_535) {
                throw new UsageException("--port: expected 1 to 65535, found " + port);
            }
        }
        if (snapBytes != null && (snapBytes < 128 || snapBytes > 1 << 20)) {
            throw new UsageException("--snaplen: expected 128 to 1048576 bytes, found " + snapBytes);
        }
        if (ringBytes != null && (ringBytes < 1L << 20 || ringBytes > 16L << 30)) {
            throw new UsageException("--ring: expected 1m to 16g, found " + BytesConverter.print(ringBytes));
        }
    }
}
