package dev.lockstep.recorder;

import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * A packet socket and the memory that it shares with the kernel: a ring of blocks, which the kernel fills with packets
 * (TPACKET_V3 of linux/if_packet.h, Documentation/networking/packet_mmap.rst). One thread reads it; any thread closes
 * it afterwards. Works per block: no call into the kernel for a packet.
 *
 * <pre>
 * block:  0 version | 4 - | 8 status | 12 packets | 16 offset of the first packet
 * packet: 0 offset of the next packet, from here | 4 seconds | 8 nanoseconds | 12 bytes kept | 16 bytes of the packet
 * 20 status | 24 - (u16) | 26 offset of the network header (u16) | 28 - | 48 sockaddr_ll, of which 58 packet type
 * </pre>
 *
 * <p>Design note: the socket is SOCK_DGRAM. Packets of every kind of interface then begin with their network header,
 * and one filter fits all.
 */
final class PacketRing implements AutoCloseable {
    // Offsets in a block.
    private static final int BLOCK_STATUS = 8;
    private static final int BLOCK_PACKETS = 12;
    private static final int BLOCK_FIRST = 16;

    // Offsets in a packet's header.
    private static final int PACKET_NEXT = 0;
    private static final int PACKET_SECONDS = 4;
    private static final int PACKET_NANOS = 8;
    private static final int PACKET_KEPT = 12;
    private static final int PACKET_LENGTH = 16;
    private static final int PACKET_STATUS = 20;
    private static final int PACKET_NETWORK = 26;
    private static final int PACKET_TYPE = 58;

    private static final int STATUS_KERNEL = 0;
    private static final int STATUS_USER = 1;
    private static final int STATUS_VLAN_VALID = 1 << 4;

    private static final int AF_PACKET = 17;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int ETH_P_ALL = 3;
    private static final int ADDRESS_BYTES = 20;

    private static final int SOL_SOCKET = 1;
    private static final int SO_ERROR = 4;
    private static final int SO_ATTACH_FILTER = 26;
    private static final int SO_LOCK_FILTER = 44;
    private static final int SOL_PACKET = 263;
    private static final int PACKET_RX_RING = 5;
    private static final int PACKET_STATISTICS = 6;
    private static final int PACKET_VERSION = 10;
    private static final int PACKET_IGNORE_OUTGOING = 23;
    private static final int TPACKET_V3 = 2;

    private static final int SIOCGIFFLAGS = 0x8913;
    private static final int IFF_UP = 1;

    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final short POLLIN = 1;

    /** Any packet fits, and the allocation needs no more contiguous memory than the kernel has in one piece. */
    private static final int MAX_BLOCK_BYTES = 1 << 20;

    private static final int MIN_BLOCK_BYTES = 64 << 10;
    private static final int MIN_BLOCKS = 8;
    /** The kernel checks this and does not use it for this kind of ring. */
    private static final int FRAME_BYTES = 2048;

    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private final String interfaceName;
    private final int fd;
    private final Memory scratch = new Memory(64);
    private final Memory polls = new Memory(8);
    private Pointer memory;
    private long memoryBytes;
    private ByteBuffer[] blocks;
    private ByteBuf[] packets;

    private int block;
    // The packet that nextPacket() moved to.
    private ByteBuf buffer;
    private int remaining;
    private int header;
    private int nextHeader;

    private PacketRing(String interfaceName, int fd) {
        this.interfaceName = interfaceName;
        this.fd = fd;
    }

    /**
     * Opens a socket that from now on collects the packets of an interface that pass the filter.
     *
     * @throws RecorderException when the kernel refuses; the message says what to do
     */
    static PacketRing open(PassiveConfig config) {
        String name = config.interfaceName();
        int fd;
        try {
            // Without a protocol nothing arrives before the filter is in place.
            fd = LibC.socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        } catch (LastErrorException e) {
            throw refused(name, e);
        }
        PacketRing ring = new PacketRing(name, fd);
        try {
            ring.attachFilter(PacketFilter.program(config.ports(), config.snapBytes(), config.answerBytes()));
            ring.map(config.ringBytes(), config.blockTimeout().toMillis());
            ring.polls.setInt(0, fd);
            ring.polls.setShort(4, POLLIN);
            ring.polls.setShort(6, (short) 0);
            if (!ring.bind()) {
                throw new RecorderException(
                        "cannot record interface " + name + ": it has gone; 'ip link' lists what there is", null);
            }
            return ring;
        } catch (Throwable t) {
            ring.close();
            throw t;
        }
    }

    private static RecorderException refused(String name, LastErrorException e) {
        String where = "cannot record interface " + name + ": ";
        if (e.getErrorCode() == LibC.EPERM) {
            return new RecorderException(
                    where
                            + "packet sockets need CAP_NET_RAW; run with sudo, or with this capability alone: sudo setpriv"
                            + " --reuid=$(id -u) --regid=$(id -g) --init-groups --inh-caps=+net_raw"
                            + " --ambient-caps=+net_raw COMMAND (docs/recording.md has more ways, setcap too)",
                    e);
        }
        return new RecorderException(where + "the kernel gives no packet socket: " + reason(e), e);
    }

    private void attachFilter(int[][] program) {
        try (Memory instructions = new Memory(8L * program.length)) {
            for (int i = 0; i < program.length; i++) {
                instructions.setShort(8L * i, (short) program[i][0]);
                instructions.setByte(8L * i + 2, (byte) program[i][1]);
                instructions.setByte(8L * i + 3, (byte) program[i][2]);
                instructions.setInt(8L * i + 4, program[i][3]);
            }
            scratch.clear();
            scratch.setShort(0, (short) program.length);
            scratch.setPointer(8, instructions);
            option("filter the packets", SOL_SOCKET, SO_ATTACH_FILTER, 16);
        }
        intOption("lock the filter", SOL_SOCKET, SO_LOCK_FILTER, 1);
        if (interfaceName.equals("lo")) {
            // The filter does the same; this saves the kernel from running it.
            try {
                setInt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
            } catch (LastErrorException olderThan420) {
                // The filter does it.
            }
        }
    }

    private void map(long ringBytes, long blockTimeoutMs) {
        int blockBytes = MAX_BLOCK_BYTES;
        while (blockBytes > MIN_BLOCK_BYTES && ringBytes / blockBytes < MIN_BLOCKS) {
            blockBytes >>= 1;
        }
        int blockCount = (int) (ringBytes / blockBytes);
        intOption("use TPACKET_V3", SOL_PACKET, PACKET_VERSION, TPACKET_V3);
        scratch.clear();
        scratch.setInt(0, blockBytes);
        scratch.setInt(4, blockCount);
        scratch.setInt(8, FRAME_BYTES);
        scratch.setInt(12, blockBytes / FRAME_BYTES * blockCount);
        scratch.setInt(16, (int) blockTimeoutMs);
        option("make a ring of " + ringBytes + " bytes", SOL_PACKET, PACKET_RX_RING, 28);
        long bytes = (long) blockBytes * blockCount;
        try {
            memory = LibC.mmap(Pointer.NULL, bytes, PROT_READ_WRITE, MAP_SHARED, fd, 0);
        } catch (LastErrorException e) {
            throw failed("map a ring of " + ringBytes + " bytes", e);
        }
        memoryBytes = bytes;
        blocks = new ByteBuffer[blockCount];
        packets = new ByteBuf[blockCount];
        for (int i = 0; i < blockCount; i++) {
            blocks[i] = memory.getByteBuffer((long) i * blockBytes, blockBytes).order(ByteOrder.nativeOrder());
            packets[i] = Unpooled.wrappedBuffer(blocks[i]);
        }
    }

    /** Listens to the interface as it is now; false when there is none of that name. */
    boolean bind() {
        boolean any = interfaceName.equals(PassiveConfig.ANY_INTERFACE);
        int interfaceIndex = any ? 0 : indexOf(interfaceName);
        if (!any && interfaceIndex == 0) {
            return false;
        }
        scratch.clear();
        scratch.setShort(0, (short) AF_PACKET);
        scratch.setByte(3, (byte) ETH_P_ALL); // in network byte order
        scratch.setInt(4, interfaceIndex);
        try {
            LibC.bind(fd, scratch, ADDRESS_BYTES);
            return true;
        } catch (LastErrorException e) {
            if (e.getErrorCode() == LibC.ENODEV) {
                return false;
            }
            throw failed("listen to it", e);
        }
    }

    /** Whether the interface that was bound is still there, up or down. Another may have its name by now. */
    boolean isInterfaceThere() {
        scratch.clear();
        scratch.setInt(24, ADDRESS_BYTES);
        try {
            LibC.getsockname(fd, scratch, scratch.share(24));
        } catch (LastErrorException e) {
            throw failed("ask for the socket's interface", e);
        }
        return scratch.getInt(4) != -1;
    }

    boolean isInterfaceUp() {
        scratch.clear();
        scratch.setString(0, interfaceName);
        try {
            LibC.ioctl(fd, SIOCGIFFLAGS, scratch);
            return (scratch.getShort(16) & IFF_UP) != 0;
        } catch (LastErrorException gone) {
            return false;
        }
    }

    /** The kernel's number for an interface, 0 when there is none of that name. */
    static int indexOf(String interfaceName) {
        try {
            return LibC.if_nametoindex(interfaceName);
        } catch (LastErrorException none) {
            return 0;
        }
    }

    /**
     * Waits for a block to be read, for this time at most.
     *
     * @return the error that the socket reports, ENETDOWN when the interface went down, or 0
     */
    int await(int timeoutMs) {
        try {
            if (LibC.poll(polls, 1, timeoutMs) == 0 || polls.getShort(6) == POLLIN) {
                return 0;
            }
        } catch (LastErrorException e) {
            if (e.getErrorCode() == LibC.EINTR) {
                return 0;
            }
            throw failed("wait for packets", e);
        }
        scratch.clear();
        scratch.setInt(8, 4);
        try {
            LibC.getsockopt(fd, SOL_SOCKET, SO_ERROR, scratch, scratch.share(8));
            return scratch.getInt(0);
        } catch (LastErrorException e) {
            throw failed("ask for the socket's error", e);
        }
    }

    /** Moves to the next block; false when the kernel still has it. */
    boolean nextBlock() {
        ByteBuffer current = blocks[block];
        if (((int) INT.getAcquire(current, BLOCK_STATUS) & STATUS_USER) == 0) {
            return false;
        }
        buffer = packets[block];
        remaining = current.getInt(BLOCK_PACKETS);
        nextHeader = current.getInt(BLOCK_FIRST);
        return true;
    }

    /** Moves to the block's next packet; false at its end. */
    boolean nextPacket() {
        if (remaining == 0) {
            return false;
        }
        remaining--;
        header = nextHeader;
        nextHeader += int32(PACKET_NEXT);
        return true;
    }

    /** Gives the block back to the kernel; its packets are not read again. */
    void releaseBlock() {
        INT.setRelease(blocks[block], BLOCK_STATUS, STATUS_KERNEL);
        block = block + 1 == blocks.length ? 0 : block + 1;
    }

    /** The block's memory, in which the packet lies from {@link #from()} to {@link #to()}. */
    ByteBuf buffer() {
        return buffer;
    }

    /** The index of the packet's IP header. */
    int from() {
        int from = header + uint16(PACKET_NETWORK);
        return mayHaveInnerTag() && hasInnerTag(from) ? from + PacketFilter.VLAN_TAG_BYTES : from;
    }

    /** The index after the last byte that was kept. */
    int to() {
        return header + uint16(PACKET_NETWORK) + int32(PACKET_KEPT);
    }

    /** How many bytes of the packet were not kept. */
    int cutBytes() {
        return int32(PACKET_LENGTH) - int32(PACKET_KEPT);
    }

    /** When the kernel saw the packet, in ns since 1970. */
    long epochNs() {
        return TimeUnit.SECONDS.toNanos(int32(PACKET_SECONDS) & 0xffff_ffffL) + int32(PACKET_NANOS);
    }

    /** The kernel takes the outer tag out of what comes in, and leaves an inner one before the IP header. */
    private boolean mayHaveInnerTag() {
        return (int32(PACKET_STATUS) & STATUS_VLAN_VALID) != 0
                && buffer.getByte(header + PACKET_TYPE) != PacketFilter.PACKET_OUTGOING;
    }

    /** Tells an inner tag and the type behind it from bytes of an IP header that look like them. */
    private boolean hasInnerTag(int at) {
        int kept = int32(PACKET_KEPT);
        int type = kept < 8 ? 0 : buffer.getUnsignedShort(at + 2);
        int version = buffer.getByte(at + PacketFilter.VLAN_TAG_BYTES) >> 4 & 0xf;
        boolean tagged = type == PacketFilter.ETHERTYPE_IPV4 && version == 4
                || type == PacketFilter.ETHERTYPE_IPV6 && version == 6;
        if (!tagged) {
            return false;
        }
        int bytes = int32(PACKET_LENGTH);
        int plainVersion = buffer.getByte(at) >> 4 & 0xf;
        boolean plain4 = plainVersion == 4 && type == bytes;
        boolean plain6 = plainVersion == 6 && buffer.getUnsignedShort(at + 4) + 40 == bytes;
        return !plain4 && !plain6;
    }

    private int int32(int offset) {
        return LITTLE_ENDIAN ? buffer.getIntLE(header + offset) : buffer.getInt(header + offset);
    }

    private int uint16(int offset) {
        return LITTLE_ENDIAN ? buffer.getUnsignedShortLE(header + offset) : buffer.getUnsignedShort(header + offset);
    }

    /**
     * Reads how many packets the filter took and how many of them found the ring full, since the last call.
     *
     * @return the packets in the upper 32 bits, the dropped ones among them in the lower
     */
    long takeStatistics() {
        scratch.clear();
        scratch.setInt(16, 12);
        try {
            LibC.getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, scratch, scratch.share(16));
        } catch (LastErrorException e) {
            throw failed("read the socket's statistics", e);
        }
        return (long) scratch.getInt(0) << 32 | scratch.getInt(4) & 0xffff_ffffL;
    }

    /** How far the clock of the packets is ahead of {@link System#nanoTime()}. */
    long epochMinusMonotonicNs() {
        long beforeNs = System.nanoTime();
        LibC.clock_gettime(LibC.CLOCK_REALTIME, scratch);
        long afterNs = System.nanoTime();
        long epochNs = TimeUnit.SECONDS.toNanos(scratch.getLong(0)) + scratch.getLong(8);
        return epochNs - (beforeNs + (afterNs - beforeNs) / 2);
    }

    /** Frees the socket and the ring; no buffer of it may be read any more. */
    @Override
    public void close() {
        if (memory != null) {
            LibC.munmap(memory, memoryBytes);
            memory = null;
        }
        LibC.close(fd);
    }

    private void intOption(String purpose, int level, int option, int value) {
        scratch.setInt(0, value);
        option(purpose, level, option, 4);
    }

    private void setInt(int level, int option, int value) {
        scratch.setInt(0, value);
        LibC.setsockopt(fd, level, option, scratch, 4);
    }

    private void option(String purpose, int level, int option, int bytes) {
        try {
            LibC.setsockopt(fd, level, option, scratch, bytes);
        } catch (LastErrorException e) {
            throw failed(purpose, e);
        }
    }

    private RecorderException failed(String purpose, LastErrorException e) {
        return new RecorderException(
                "cannot record interface " + interfaceName + ": the kernel does not let us " + purpose + ": "
                        + reason(e),
                e);
    }

    private static String reason(LastErrorException e) {
        return LibC.strerror(e.getErrorCode());
    }
}
