package dev.lockstep.recorder;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Paths;

/** Whether this process may have packet sockets. */
final class PacketSockets {
    private PacketSockets() {}

    /** Skips the test with the reason when it may not. */
    static void assumeAllowed() {
        assumeTrue(System.getProperty("os.name").startsWith("Linux"), "passive recording needs Linux");
        String refused = null;
        try {
            PacketRing.open(PassiveConfig.builder()
                            .interfaceName("lo")
                            .ports(1)
                            .ringBytes(1 << 20)
                            .capture(Paths.get("none"))
                            .build())
                    .close();
        } catch (RecorderException e) {
            refused = e.getMessage();
        }
        assumeTrue(refused == null, refused);
    }
}
