package dev.lockstep.packets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the packets of a pcap or pcapng file, compressed by gzip or not, one after another in constant memory. It is
 * opened once and read forwards, so it may be a pipe. For one thread, which closes it.
 *
 * <pre>{@code
 * while (file.next()) {
 *     use(file.timeNs(), file.linkLayer(), file.bytes(), file.from(), file.to(), file.originalLength());
 * }
 * }</pre>
 *
 * <p>A file that ends in the middle of a packet, or is damaged, gives the packets before it; {@link #damage()} then
 * says what is wrong.
 *
 * <p>Formats: draft-ietf-opsawg-pcap (with the older variant that has eight more bytes per packet) and
 * draft-ietf-opsawg-pcapng.
 */
public final class PacketFile implements AutoCloseable {
    /** A longer packet or block is taken for damage; tcpdump's own limit for packets is 256 KiB. */
    private static final int MAX_BLOCK_BYTES = 16 << 20;

    private static final int MAX_INTERFACES = 1 << 16;
    private static final long NS_PER_SECOND = 1_000_000_000;

    private static final int PCAP_MICROSECONDS = 0xa1b2c3d4;
    private static final int PCAP_NANOSECONDS = 0xa1b23c4d;
    private static final int PCAP_MODIFIED = 0xa1b2cd34;
    private static final int MAJOR_VERSION = 2;
    private static final int MINOR_VERSION = 4;

    private static final int SECTION_HEADER = 0x0a0d0d0a;
    private static final int BYTE_ORDER = 0x1a2b3c4d;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int OLD_PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;
    /** What stands before the bytes of an enhanced or old packet. */
    private static final int BLOCK_HEADER_BYTES = 20;

    private static final int MICROSECONDS = 6;
    private static final int OPTION_END = 0;
    private static final int OPTION_TIME_RESOLUTION = 9;
    private static final int OPTION_TIME_OFFSET = 14;

    private final Path path;
    private final InputStream in;
    private final List<Interface> interfaces = new ArrayList<>();
    private final boolean pcapng;
    private boolean littleEndian;
    private boolean nanoseconds;
    private boolean modified;
    private int linkType;
    private LinkLayer linkLayer;

    private byte[] block = new byte[64 << 10];
    private ByteBuf bytes = Unpooled.wrappedBuffer(block);
    private long timeNs;
    private int from;
    private int to;
    private int originalLength;
    private long packets;
    private boolean atEnd;
    private String damage;

    private PacketFile(Path path, InputStream in) throws IOException {
        this.path = path;
        this.in = in;
        if (fill(0, 4) < 4) {
            throw new PacketException(path, "expected a pcap or pcapng file, found fewer than 4 bytes", null);
        }
        int magic = bytes.getInt(0);
        pcapng = magic == SECTION_HEADER;
        if (pcapng) {
            if (!section(4)) {
                throw new PacketException(path, "expected a pcapng file, but " + damage, null);
            }
        } else if (!pcapHeader(magic) && !pcapHeader(Integer.reverseBytes(magic))) {
            throw new PacketException(
                    path,
                    "expected a pcap or pcapng file, found the first bytes " + String.format("%08x", magic)
                            + "; convert it with tshark -r FILE -w NEW.pcapng",
                    null);
        } else if (fill(4, 20) < 20) {
            throw new PacketException(path, "expected a pcap file, found an end within its header", null);
        } else {
            linkType = getInt(20) & 0xffff; // the upper bits tell of frame check sequences
            linkLayer = LinkLayer.of(linkType);
        }
    }

    /**
     * Opens a file or pipe, once.
     *
     * @throws PacketException when it cannot be read or is no packet file
     */
    public static PacketFile open(Path path) {
        try {
            return open(path, GzipInput.open(path));
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /**
     * Reads the content of a file, for a fuzzer.
     *
     * @throws PacketException when it is no packet file
     */
    public static PacketFile of(byte[] content) {
        Path path = Path.of("memory");
        try {
            return open(path, GzipInput.unpacked(new ByteArrayInputStream(content)));
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /**
     * Reads the unpacked content of a file from a stream, which becomes this file's to close, also when this fails.
     *
     * @param path what to call it in messages
     * @throws PacketException when it cannot be read or is no packet file
     */
    public static PacketFile open(Path path, InputStream content) {
        try {
            return new PacketFile(path, content);
        } catch (IOException | RuntimeException e) {
            try {
                content.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e instanceof IOException ? unreadable(path, (IOException) e) : (RuntimeException) e;
        }
    }

    private static PacketException unreadable(Path path, IOException e) {
        String reason = e instanceof NoSuchFileException ? "no such file" : String.valueOf(e.getMessage());
        return new PacketException(path, "cannot read the packet file: " + reason, e);
    }

    /**
     * Reads the next packet; false at the end, and where the file is damaged.
     *
     * @throws PacketException when reading fails
     */
    public boolean next() {
        if (atEnd) {
            return false;
        }
        try {
            boolean found = pcapng ? nextBlock() : nextRecord();
            if (found) {
                packets++;
            } else {
                atEnd = true;
            }
            return found;
        } catch (DamagedGzipException e) {
            return damaged(e.getMessage());
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /** Returns when the packet was captured, in ns since 1970. */
    public long timeNs() {
        return timeNs;
    }

    /** Returns how the packet begins, or null when that is not supported; {@link #linkType()} then tells what it is. */
    public LinkLayer linkLayer() {
        return linkLayer;
    }

    /** Returns the number of the packet's link layer. */
    public int linkType() {
        return linkType;
    }

    /** Returns what holds the packet, until the next one is read. */
    public ByteBuf bytes() {
        return bytes;
    }

    /** Returns the index of the packet's first byte. */
    public int from() {
        return from;
    }

    /** Returns the index after the packet's last captured byte. */
    public int to() {
        return to;
    }

    /** Returns the packet's length on the wire in bytes, at least what was captured of it. */
    public int originalLength() {
        return originalLength;
    }

    /** Returns why the file could not be read to its end, in words that follow "but", or null when it could. */
    public String damage() {
        return damage;
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    // pcap

    private boolean pcapHeader(int magic) {
        littleEndian = magic != bytes.getInt(0);
        nanoseconds = magic == PCAP_NANOSECONDS;
        modified = magic == PCAP_MODIFIED;
        return isMagic(magic);
    }

    private static boolean isMagic(int magic) {
        return magic == PCAP_MICROSECONDS || magic == PCAP_NANOSECONDS || magic == PCAP_MODIFIED;
    }

    private boolean nextRecord() throws IOException {
        int headerBytes = modified ? 24 : 16;
        int read = fill(0, headerBytes);
        if (read < headerBytes) {
            return read != 0 && damaged("the file ends within the header of a packet");
        }
        if (isMagic(getInt(0)) && getShort(4) == MAJOR_VERSION && getShort(6) == MINOR_VERSION) {
            return damaged("another pcap file begins in it (give files one by one, not joined by cat)");
        }
        long fraction = getInt(4) & 0xffffffffL;
        timeNs = (getInt(0) & 0xffffffffL) * NS_PER_SECOND + (nanoseconds ? fraction : fraction * 1000);
        int captured = getInt(8);
        int original = getInt(12);
        if (captured < 0 || captured > MAX_BLOCK_BYTES) {
            return damaged("a packet's length is " + (captured & 0xffffffffL) + " bytes");
        }
        if (fill(0, captured) < captured) {
            return damaged("the file ends within a packet");
        }
        packet(0, captured, original);
        return true;
    }

    private void packet(int index, int captured, int original) {
        from = index;
        to = index + captured;
        originalLength = original < 0 ? captured : Math.max(captured, original);
    }

    // pcapng

    private boolean nextBlock() throws IOException {
        while (true) {
            int read = fill(0, 8);
            if (read < 8) {
                return read != 0 && damaged("the file ends within the header of a block");
            }
            if (bytes.getInt(0) == SECTION_HEADER) {
                if (!section(8)) {
                    return false;
                }
                continue;
            }
            int type = getInt(0);
            int length = body();
            if (length < 0) {
                return false;
            }
            switch (type) {
                case INTERFACE_DESCRIPTION:
                    if (length < 8 || interfaces.size() == MAX_INTERFACES) {
                        return damaged("an interface description is too short, or there are too many");
                    }
                    interfaces.add(interfaceDescription(length));
                    break;
                case ENHANCED_PACKET:
                case OLD_PACKET:
                    if (length < BLOCK_HEADER_BYTES) {
                        return damaged("a packet's block has " + length + " bytes");
                    }
                    return blockPacket(type == OLD_PACKET ? getShort(0) : getInt(0), length);
                case SIMPLE_PACKET:
                    if (length < 4) {
                        return damaged("a packet's block has " + length + " bytes");
                    }
                    return simplePacket(length);
                default: // names, statistics, secrets and what else is not needed here
            }
        }
    }

    private boolean blockPacket(int at, int length) {
        if (at < 0 || at >= interfaces.size()) {
            return damaged("a packet names the interface " + (at & 0xffffffffL) + ", which is not described");
        }
        int captured = getInt(12);
        if (captured < 0 || captured > length - BLOCK_HEADER_BYTES) {
            return damaged("a packet's length is " + (captured & 0xffffffffL) + " bytes, more than its block's");
        }
        Interface described = interfaces.get(at);
        linkType = described.linkType;
        linkLayer = described.linkLayer;
        timeNs = described.resolution.toNs((long) getInt(4) << 32 | getInt(8) & 0xffffffffL);
        packet(BLOCK_HEADER_BYTES, captured, getInt(16));
        return true;
    }

    /** Takes a packet that has no time of its own: it gets that of the packet before. */
    private boolean simplePacket(int length) {
        if (interfaces.isEmpty()) {
            return damaged("a packet names the interface 0, which is not described");
        }
        Interface first = interfaces.get(0);
        linkType = first.linkType;
        linkLayer = first.linkLayer;
        int original = getInt(0);
        int captured = original < 0 ? length - 4 : Math.min(original, length - 4);
        if (first.snapLength > 0) {
            captured = Math.min(captured, first.snapLength);
        }
        packet(4, captured, original);
        return true;
    }

    /** Reads the header of a section, of which some bytes are read; false when it is damaged. */
    private boolean section(int read) throws IOException {
        if (read + fill(read, 12 - read) < 12) {
            return damaged("the file ends within the header of a section");
        }
        littleEndian = bytes.getInt(8) != BYTE_ORDER;
        if (littleEndian && bytes.getIntLE(8) != BYTE_ORDER) {
            return damaged(String.format("a section's byte order is %08x", bytes.getInt(8)));
        }
        int length = getInt(4);
        if (length < 28 || length > MAX_BLOCK_BYTES || (length & 3) != 0) {
            return damaged("a block's length is " + (length & 0xffffffffL) + " bytes");
        }
        if (fill(12, length - 12) < length - 12) {
            return damaged("the file ends within the header of a section");
        }
        interfaces.clear();
        return true;
    }

    private Interface interfaceDescription(int length) {
        int type = getShort(0);
        int snapLength = getInt(4);
        int resolution = MICROSECONDS;
        long offsetSeconds = 0;
        int index = 8;
        while (length - index >= 4) {
            int option = getShort(index);
            int optionBytes = getShort(index + 2);
            index += 4;
            if (option == OPTION_END || optionBytes > length - index) {
                break;
            }
            if (option == OPTION_TIME_RESOLUTION && optionBytes == 1) {
                resolution = bytes.getUnsignedByte(index);
            } else if (option == OPTION_TIME_OFFSET && optionBytes == 8) {
                offsetSeconds = littleEndian ? bytes.getLongLE(index) : bytes.getLong(index);
            }
            index += optionBytes + 3 & ~3;
        }
        return new Interface(type, snapLength, new TimeResolution(resolution, offsetSeconds));
    }

    /**
     * Reads to the end of the block whose type and length are here; returns the length of its body, -1 when damaged.
     */
    private int body() throws IOException {
        int length = getInt(4);
        if (length < 12 || length > MAX_BLOCK_BYTES || (length & 3) != 0) {
            damaged("a block's length is " + (length & 0xffffffffL) + " bytes");
            return -1;
        }
        int rest = length - 8; // with the length once more at the end
        if (fill(0, rest) < rest) {
            damaged("the file ends within a block");
            return -1;
        }
        if (getInt(rest - 4) != length) {
            damaged("a block's length is " + length + " bytes at its beginning and " + (getInt(rest - 4) & 0xffffffffL)
                    + " at its end");
            return -1;
        }
        return rest - 4;
    }

    private boolean damaged(String problem) {
        damage = problem + ", after " + packets + " packets";
        atEnd = true;
        return false;
    }

    private int getInt(int index) {
        return littleEndian ? bytes.getIntLE(index) : bytes.getInt(index);
    }

    private int getShort(int index) {
        return littleEndian ? bytes.getUnsignedShortLE(index) : bytes.getUnsignedShort(index);
    }

    /**
     * Reads bytes to an index; returns how many there were. Memory grows as they come, whatever a length field claims.
     */
    private int fill(int index, int length) throws IOException {
        int end = index;
        while (end < index + length) {
            if (end == block.length) {
                block = Arrays.copyOf(block, Math.min(block.length * 2, MAX_BLOCK_BYTES + 64));
                bytes = Unpooled.wrappedBuffer(block);
            }
            int read = in.read(block, end, Math.min(block.length, index + length) - end);
            if (read < 0) {
                break;
            }
            end += read;
        }
        return end - index;
    }

    /** What a pcapng file says of an interface. */
    private static final class Interface {
        final int linkType;
        final LinkLayer linkLayer;
        final int snapLength;
        final TimeResolution resolution;

        Interface(int linkType, int snapLength, TimeResolution resolution) {
            this.linkType = linkType;
            this.linkLayer = LinkLayer.of(linkType);
            this.snapLength = snapLength;
            this.resolution = resolution;
        }
    }
}
