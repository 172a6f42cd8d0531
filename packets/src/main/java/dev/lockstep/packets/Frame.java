package dev.lockstep.packets;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Reads the headers of one frame after another, down to the TCP payload. Runs per packet on the reassembler's thread,
 * allocates nothing unless the packet is an IP fragment.
 *
 * <p>Checksums are not looked at: a sending machine captures its own packets before the network card fills them in.
 */
final class Frame {
    /** What a frame holds. */
    enum Content {
        /** A TCP segment: the fields of the frame describe it. */
        TCP,
        /** No IP packet. */
        NOT_IP,
        /** An IP packet without TCP in it. */
        NOT_TCP,
        /** Headers that are malformed, or cut off. */
        UNREADABLE,
        /** A part of an IP packet that is not yet whole. */
        FRAGMENT
    }

    static final int FIN = 1;
    static final int SYN = 1 << 1;
    static final int RST = 1 << 2;
    static final int ACK = 1 << 4;

    private static final int ETHERTYPE_IPV4 = 0x0800;
    private static final int ETHERTYPE_IPV6 = 0x86dd;
    private static final int ETHERTYPE_PPPOE_SESSION = 0x8864;
    private static final int PPP_IPV4 = 0x0021;
    private static final int PPP_IPV6 = 0x0057;
    private static final int PROTOCOL_TCP = 6;

    private final IpFragments fragments;

    /** The longest search for the LLC header of an 802.11 frame. */
    private static final int MAX_80211_HEADER = 64;

    boolean ipv6;
    /** IPv4 addresses are in the low half of the second number. */
    long sourceHigh;

    long sourceLow;
    long destinationHigh;
    long destinationLow;
    int sourcePort;
    int destinationPort;
    /** Whether the sender is the lower one of the two endpoints. */
    boolean fromLower;

    int sequence;
    int acknowledged;
    int flags;
    /** What holds the payload: the caller's buffer, or that of a packet put together from fragments. */
    ByteBuf buffer;

    int payloadFrom;
    int payloadTo;
    /** The payload's length on the wire, at least what was captured of it. */
    int payloadBytes;

    private long timeNs;

    Frame(IpFragments fragments) {
        this.fragments = fragments;
    }

    /** Reads a frame; {@code wireTo} is the index at which it ended on the wire, at least {@code to}. */
    Content read(long nowNs, LinkLayer link, ByteBuf bytes, int from, int to, int wireTo) {
        timeNs = nowNs;
        buffer = bytes;
        switch (link) {
            case ETHERNET:
                return etherType(14, 12, bytes, from, to, wireTo);
            case LINUX_SLL:
                return etherType(16, 14, bytes, from, to, wireTo);
            case LINUX_SLL2:
                return etherType(20, 0, bytes, from, to, wireTo);
            case C_HDLC:
                return etherType(4, 2, bytes, from, to, wireTo);
            case NULL:
            case LOOP:
                return ip(bytes, from + 4, to, wireTo);
            case PPP:
                return ppp(bytes, from, to, wireTo);
            case IEEE802_11:
                return wireless(bytes, from, to, wireTo);
            default:
                return ip(bytes, from, to, wireTo);
        }
    }

    /** Reads a link's header of so many bytes with the EtherType among them, and what is behind it. */
    private Content etherType(int headerBytes, int typeAt, ByteBuf bytes, int from, int to, int wireTo) {
        if (to - from < headerBytes) {
            return Content.UNREADABLE;
        }
        int type = bytes.getUnsignedShort(from + typeAt);
        int index = from + headerBytes;
        while (true) {
            switch (type) {
                case ETHERTYPE_IPV4:
                    return ipv4(bytes, index, to, wireTo);
                case ETHERTYPE_IPV6:
                    return ipv6(bytes, index, to, wireTo);
                case 0x8100: // VLAN tags
                case 0x88a8:
                case 0x9100:
                case 0x9200:
                    if (to - index < 4) {
                        return Content.UNREADABLE;
                    }
                    type = bytes.getUnsignedShort(index + 2);
                    index += 4;
                    break;
                case ETHERTYPE_PPPOE_SESSION:
                    return to - index < 8 ? Content.UNREADABLE : ppp(bytes, index + 6, to, wireTo);
                default:
                    return type <= 1500 ? snap(bytes, index, to, wireTo) : Content.NOT_IP;
            }
        }
    }

    private Content ppp(ByteBuf bytes, int from, int to, int wireTo) {
        int index = from;
        if (to - index >= 2 && bytes.getUnsignedShort(index) == 0xff03) {
            index += 2;
        }
        if (to - index < 2) {
            return Content.UNREADABLE;
        }
        int protocol = bytes.getUnsignedByte(index);
        if ((protocol & 1) != 0) { // compressed to one byte
            index++;
        } else {
            protocol = bytes.getUnsignedShort(index);
            index += 2;
        }
        return protocol == PPP_IPV4
                ? ipv4(bytes, index, to, wireTo)
                : protocol == PPP_IPV6 ? ipv6(bytes, index, to, wireTo) : Content.NOT_IP;
    }

    private Content wireless(ByteBuf bytes, int from, int to, int wireTo) {
        if (to - from < 24) {
            return Content.UNREADABLE;
        }
        boolean data = (bytes.getByte(from) & 0x0c) == 0x08;
        boolean encrypted = (bytes.getByte(from + 1) & 0x40) != 0;
        if (data && !encrypted) {
            int last = Math.min(to - 8, from + MAX_80211_HEADER);
            for (int index = from + 24; index <= last; index++) {
                if (bytes.getInt(index) == 0xaaaa0300) {
                    return snap(bytes, index, to, wireTo);
                }
            }
        }
        return Content.NOT_IP;
    }

    private Content snap(ByteBuf bytes, int from, int to, int wireTo) {
        if (to - from < 8 || bytes.getInt(from) != 0xaaaa0300 || bytes.getUnsignedShort(from + 4) != 0) {
            return Content.NOT_IP;
        }
        int type = bytes.getUnsignedShort(from + 6);
        return type == ETHERTYPE_IPV4
                ? ipv4(bytes, from + 8, to, wireTo)
                : type == ETHERTYPE_IPV6 ? ipv6(bytes, from + 8, to, wireTo) : Content.NOT_IP;
    }

    private Content ip(ByteBuf bytes, int from, int to, int wireTo) {
        if (from >= to) {
            return Content.UNREADABLE;
        }
        int version = bytes.getUnsignedByte(from) >> 4;
        return version == 4
                ? ipv4(bytes, from, to, wireTo)
                : version == 6 ? ipv6(bytes, from, to, wireTo) : Content.NOT_IP;
    }

    private Content ipv4(ByteBuf bytes, int from, int to, int wireTo) {
        if (to - from < 20) {
            return Content.UNREADABLE;
        }
        int versionAndLength = bytes.getUnsignedByte(from);
        int headerBytes = (versionAndLength & 0xf) << 2;
        if (versionAndLength >> 4 != 4 || headerBytes < 20) {
            return Content.UNREADABLE;
        }
        int packetBytes = bytes.getUnsignedShort(from + 2);
        int packetTo = wireTo;
        if (packetBytes != 0) { // else left to the network card: segmentation offload
            if (packetBytes < headerBytes) {
                return Content.UNREADABLE;
            }
            packetTo = Math.min(wireTo, from + packetBytes); // what follows is padding
        }
        if (bytes.getByte(from + 9) != PROTOCOL_TCP) {
            return Content.NOT_TCP;
        }
        ipv6 = false;
        sourceHigh = 0;
        sourceLow = bytes.getUnsignedInt(from + 12);
        destinationHigh = 0;
        destinationLow = bytes.getUnsignedInt(from + 16);
        int fragment = bytes.getUnsignedShort(from + 6);
        if ((fragment & 0x3fff) != 0) {
            return fragment(
                    bytes.getUnsignedShort(from + 4),
                    (fragment & 0x1fff) << 3,
                    (fragment & 0x2000) != 0,
                    bytes,
                    from + headerBytes,
                    to,
                    packetTo);
        }
        return tcp(bytes, from + headerBytes, Math.min(to, packetTo), packetTo);
    }

    private Content ipv6(ByteBuf bytes, int from, int to, int wireTo) {
        if (to - from < 40 || bytes.getUnsignedByte(from) >> 4 != 6) {
            return Content.UNREADABLE;
        }
        int payload = bytes.getUnsignedShort(from + 4);
        int packetTo = payload == 0 ? wireTo : Math.min(wireTo, from + 40 + payload); // 0: jumbo or offload
        int end = Math.min(to, packetTo);
        ipv6 = true;
        sourceHigh = bytes.getLong(from + 8);
        sourceLow = bytes.getLong(from + 16);
        destinationHigh = bytes.getLong(from + 24);
        destinationLow = bytes.getLong(from + 32);
        int next = bytes.getUnsignedByte(from + 6);
        int index = from + 40;
        while (true) { // each turn moves on by 8 bytes at least
            switch (next) {
                case PROTOCOL_TCP:
                    return tcp(bytes, index, end, packetTo);
                case 0: // hop by hop
                case 43: // routing
                case 60: // destination options
                case 135: // mobility
                case 139: // host identity
                case 140: // shim6
                    if (end - index < 8) {
                        return Content.UNREADABLE;
                    }
                    next = bytes.getUnsignedByte(index);
                    index += bytes.getUnsignedByte(index + 1) + 1 << 3;
                    break;
                case 51: // authentication
                    if (end - index < 8) {
                        return Content.UNREADABLE;
                    }
                    next = bytes.getUnsignedByte(index);
                    index += Math.max(8, bytes.getUnsignedByte(index + 1) + 2 << 2);
                    break;
                case 44:
                    if (end - index < 8) {
                        return Content.UNREADABLE;
                    }
                    next = bytes.getUnsignedByte(index);
                    int offset = bytes.getUnsignedShort(index + 2);
                    if ((offset & 0xfff9) != 0) {
                        return next == PROTOCOL_TCP
                                ? fragment(
                                        bytes.getInt(index + 4),
                                        offset & 0xfff8,
                                        (offset & 1) != 0,
                                        bytes,
                                        index + 8,
                                        end,
                                        packetTo)
                                : Content.NOT_TCP;
                    }
                    index += 8; // an "atomic" fragment is the whole packet
                    break;
                default:
                    return Content.NOT_TCP;
            }
        }
    }

    private Content fragment(int id, int offset, boolean more, ByteBuf bytes, int from, int to, int packetTo) {
        int end = Math.min(to, packetTo);
        if (from >= end || end < packetTo) {
            return Content.UNREADABLE; // without all of its parts there is no packet
        }
        ByteBuf whole = fragments.add(timeNs, this, id, offset, more, bytes, from, end);
        if (whole == null) {
            return Content.FRAGMENT;
        }
        buffer = whole;
        return tcp(whole, 0, whole.capacity(), whole.capacity());
    }

    private Content tcp(ByteBuf bytes, int from, int to, int wireTo) {
        if (to - from < 20) {
            return Content.UNREADABLE;
        }
        int ports = bytes.getInt(from);
        sourcePort = ports >>> 16;
        destinationPort = ports & 0xffff;
        fromLower = isSourceLower();
        sequence = bytes.getInt(from + 4);
        acknowledged = bytes.getInt(from + 8);
        int offsetAndFlags = bytes.getUnsignedShort(from + 12);
        flags = offsetAndFlags & 0xff;
        int payload = from + (offsetAndFlags >> 12 << 2);
        if (payload < from + 20 || payload > wireTo) {
            return Content.UNREADABLE;
        }
        payloadFrom = Math.min(payload, to);
        payloadTo = to;
        payloadBytes = wireTo - payload;
        return Content.TCP;
    }

    private boolean isSourceLower() {
        int order = Long.compare(sourceHigh, destinationHigh);
        if (order == 0) {
            order = Long.compare(sourceLow, destinationLow);
        }
        return order == 0 ? sourcePort <= destinationPort : order < 0;
    }

    static InetSocketAddress address(boolean ipv6, long high, long low, int port) {
        byte[] address = new byte[ipv6 ? 16 : 4];
        for (int i = 0; i < address.length; i++) {
            int fromEnd = address.length - 1 - i;
            address[i] = (byte) ((fromEnd < 8 ? low : high) >>> ((fromEnd & 7) << 3));
        }
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // thrown for other lengths only
        }
    }
}
