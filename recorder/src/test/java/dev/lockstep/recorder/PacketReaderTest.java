package dev.lockstep.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PacketReaderTest {
    /** 512 MiB are what {@code replay record} has. */
    @Test
    void followsAsManyConnectionsAsHalfOfTheHeapHolds() {
        assertEquals(131_072, PacketReader.mostConnections(512L << 20));
        assertEquals(1 << 20, PacketReader.mostConnections(Long.MAX_VALUE));
        assertEquals(1, PacketReader.mostConnections(1));
    }
}
