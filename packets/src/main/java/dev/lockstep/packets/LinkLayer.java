package dev.lockstep.packets;

/** How the frames of an interface begin, by the numbers of tcpdump.org/linktypes.html. */
public enum LinkLayer {
    /** BSD loopback: an address family in the byte order of the capturing machine. */
    NULL(0),
    /** Ethernet, with any number of VLAN tags, or PPPoE. */
    ETHERNET(1),
    /** PPP, with or without HDLC address and control bytes. */
    PPP(9),
    /** IPv4 or IPv6, by the first four bits; 12 on most systems. */
    RAW(101, 12, 14),
    /** Cisco HDLC. */
    C_HDLC(104),
    /** 802.11 data frames, not encrypted. */
    IEEE802_11(105),
    /** OpenBSD loopback: an address family in network byte order. */
    LOOP(108),
    /** Linux "cooked" capture, as of {@code -i any}. */
    LINUX_SLL(113),
    /** IPv4. */
    IPV4(228),
    /** IPv6. */
    IPV6(229),
    /** Linux "cooked" capture, version 2. */
    LINUX_SLL2(276);

    private static final LinkLayer[] ALL = values();

    private final int[] linkTypes;

    LinkLayer(int... linkTypes) {
        this.linkTypes = linkTypes;
    }

    /** Returns the link layer with a number of packet files, or null when it is not supported. */
    public static LinkLayer of(int linkType) {
        for (LinkLayer layer : ALL) {
            for (int known : layer.linkTypes) {
                if (known == linkType) {
                    return layer;
                }
            }
        }
        return null;
    }
}
