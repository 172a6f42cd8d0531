package dev.lockstep.cli;

import dev.lockstep.recorder.PassiveConfig;
import picocli.CommandLine.Option;

/** The options of a recording that looks at a network interface's packets. */
final class PassiveOptions {
    @Option(
            names = {"-i", "--interface"},
            order = 30,
            paramLabel = "NAME",
            description = "Look at the packets of this interface, or any; needs Linux and CAP_NET_RAW.")
    String interfaceName;

    @Option(
            names = "--port",
            order = 31,
            split = ",",
            paramLabel = "PORT",
            description = "The TCP ports of the services to record.")
    int[] ports;

    @Option(
            names = "--snaplen",
            order = 32,
            paramLabel = "N",
            description = "Look at no more than N bytes of a packet; what is cut off counts as missing. Default: all.")
    private Integer snapBytes;

    @Option(
            names = "--ring",
            order = 33,
            paramLabel = "BYTES",
            converter = BytesConverter.class,
            description = "The size of the ring that the kernel puts packets into. Default: 64m.")
    private Long ringBytes;

    /** Tells whether any of the options was given. */
    boolean isGiven() {
        return interfaceName != null || ports != null || snapBytes != null || ringBytes != null;
    }

    void addTo(PassiveConfig.Builder config) {
        if (interfaceName == null || ports == null) {
            throw new UsageException(
                    interfaceName == null
                            ? "--port: expected --interface beside it, found none"
                            : "--interface: expected --port beside it, found none");
        }
        config.interfaceName(interfaceName).ports(ports);
        if (snapBytes != null) {
            config.snapBytes(snapBytes);
        }
        if (ringBytes != null) {
            config.ringBytes(ringBytes);
        }
    }
}
