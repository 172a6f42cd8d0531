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

    /** The block was filled before it was set back, and is read after. */
    @Test
    void takesNoPacketForOneOfTheFutureWhereTheWallClockWasSetBack() {
        long hourNs = 3_600_000_000_000L;
        assertEquals(500, PacketReader.timeNs(hourNs + 500, hourNs, 600));
        assertEquals(600, PacketReader.timeNs(hourNs + 500, 0, 600));
        assertEquals(500 - hourNs, PacketReader.timeNs(hourNs + 500, 2 * hourNs, 600));
    }
}
