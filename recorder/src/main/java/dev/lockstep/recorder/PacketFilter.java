package dev.lockstep.recorder;

/**
 * The program by which the kernel chooses packets, in the instructions of classic BPF (linux/filter.h). It sees each
 * packet from its network header on, as a SOCK_DGRAM packet socket does, and returns how many bytes to keep.
 *
 * <p>It keeps TCP segments to the given ports, and the first bytes of those from them; over IPv4 and IPv6, also behind
 * one VLAN tag that the network card left in the packet. It leaves out segments that carry nothing but an
 * acknowledgement: they are half of all packets, and the segments with data acknowledge as well. IP fragments and IPv6
 * packets with extension headers are kept whole, because only the reader can see where they go. Loopback interfaces
 * show each packet when it leaves and when it comes back; only the latter is kept.
 */
final class PacketFilter {
    // Classes, sizes and modes of instructions.
    private static final int LD = 0x00;
    private static final int LDX = 0x01;
    private static final int ST = 0x02;
    private static final int ALU = 0x04;
    private static final int JMP = 0x05;
    private static final int RET = 0x06;
    private static final int MISC = 0x07;
    private static final int W = 0x00;
    private static final int H = 0x08;
    private static final int B = 0x10;
    private static final int ABS = 0x20;
    private static final int IND = 0x40;
    private static final int MEM = 0x60;
    private static final int MSH = 0xa0;
    private static final int SUB = 0x10;
    private static final int AND = 0x50;
    private static final int RSH = 0x70;
    private static final int JA = 0x00;
    private static final int JEQ = 0x10;
    private static final int JGT = 0x20;
    private static final int JSET = 0x40;
    private static final int X = 0x08;
    private static final int TAX = 0x00;

    // Offsets at which the kernel gives what it knows of a packet.
    static final int AD_PROTOCOL = -0x1000;
    static final int AD_PKTTYPE = -0x1000 + 4;
    static final int AD_HATYPE = -0x1000 + 28;

    static final int PACKET_OUTGOING = 4;
    static final int ARPHRD_LOOPBACK = 772;
    static final int ETHERTYPE_IPV4 = 0x0800;
    static final int ETHERTYPE_IPV6 = 0x86dd;
    static final int ETHERTYPE_VLAN = 0x8100;
    static final int ETHERTYPE_QINQ = 0x88a8;
    static final int VLAN_TAG_BYTES = 4;

    private static final int PROTOCOL_TCP = 6;
    private static final int IPV6_HEADER_BYTES = 40;
    /** Hop-by-hop, routing, fragment, authentication and destination options. */
    private static final int[] IPV6_EXTENSIONS = {0, 43, 44, 51, 60};

    private static final int SYN_FIN_RST = 0x07;
    private static final int MORE_FRAGMENTS_OR_OFFSET = 0x3fff;

    private final int[] ports;
    private final int snapBytes;
    private final int answerBytes;
    /** Operation, jump if true, jump if false and operand of each instruction. */
    private final int[][] program = new int[1024][];

    private int length;

    private PacketFilter(int[] ports, int snapBytes, int answerBytes) {
        this.ports = ports;
        this.snapBytes = snapBytes;
        this.answerBytes = answerBytes;
    }

    /**
     * The program, one {code, jump if true, jump if false, operand} for each instruction.
     *
     * @param ports the services' TCP ports
     * @param snapBytes how many bytes to keep of a packet to a service, counted from its IP header
     * @param answerBytes how many bytes to keep of a packet from a service
     */
    static int[][] program(int[] ports, int snapBytes, int answerBytes) {
        return new PacketFilter(ports, snapBytes, answerBytes).build();
    }

    private int[][] build() {
        add(LD | W | ABS, AD_PKTTYPE);
        int incoming = jumpUnless(JEQ, PACKET_OUTGOING);

        // The data of a packet that goes out begin at its IP header even where a VLAN tag is in it.
        add(LD | W | ABS, AD_HATYPE);
        int notLoopback = jumpUnless(JEQ, ARPHRD_LOOPBACK);
        add(RET, 0);
        land(notLoopback);
        add(LD | B | ABS, 0);
        add(ALU | RSH, 4);
        int outgoing4 = jumpWhen(JEQ, 4);
        int outgoing6 = jumpWhen(JEQ, 6);
        add(RET, 0);

        land(incoming);
        add(LD | W | ABS, AD_PROTOCOL);
        int incoming4 = jumpWhen(JEQ, ETHERTYPE_IPV4);
        int incoming6 = jumpWhen(JEQ, ETHERTYPE_IPV6);
        int tagged = jumpWhen(JEQ, ETHERTYPE_VLAN);
        int doublyTagged = jumpWhen(JEQ, ETHERTYPE_QINQ);
        add(RET, 0);
        land(tagged);
        land(doublyTagged);
        add(LD | H | ABS, 2);
        int tagged4 = jumpWhen(JEQ, ETHERTYPE_IPV4);
        int tagged6 = jumpWhen(JEQ, ETHERTYPE_IPV6);
        add(RET, 0);

        land(outgoing4);
        land(incoming4);
        ipv4(0);
        land(outgoing6);
        land(incoming6);
        ipv6(0);
        land(tagged4);
        ipv4(VLAN_TAG_BYTES);
        land(tagged6);
        ipv6(VLAN_TAG_BYTES);

        int[][] built = new int[length][];
        System.arraycopy(program, 0, built, 0, length);
        return built;
    }

    private void ipv4(int at) {
        add(LD | B | ABS, at + 9);
        int tcp = jumpWhen(JEQ, PROTOCOL_TCP);
        add(RET, 0);
        land(tcp);
        add(LD | H | ABS, at + 6);
        int whole = jumpUnless(JSET, MORE_FRAGMENTS_OR_OFFSET);
        add(RET, at + snapBytes);
        land(whole);
        add(LDX | B | MSH, at);
        add(LD | H | IND, at + 2);
        int client = skipUnlessPort();
        notOnlyAcknowledges4(at);
        add(RET, at + snapBytes);
        land(client);
        add(LD | H | IND, at);
        int neither = skipUnlessPort();
        notOnlyAcknowledges4(at);
        add(RET, at + answerBytes);
        land(neither);
        add(RET, 0);
    }

    /** Keeps nothing of a segment without data, SYN, FIN and RST. X is the length of the IP header. */
    private void notOnlyAcknowledges4(int at) {
        add(LD | B | IND, at + 13);
        int control = jumpWhen(JSET, SYN_FIN_RST);
        add(LD | H | ABS, at + 2);
        int jumbo = jumpWhen(JEQ, 0);
        add(ALU | SUB | X, 0);
        int data = jumpOnData(LD | B | IND, at + 12);
        land(control);
        land(jumbo);
        land(data);
    }

    private void ipv6(int at) {
        add(LD | B | ABS, at + 6);
        int tcp = jumpWhen(JEQ, PROTOCOL_TCP);
        for (int extension : IPV6_EXTENSIONS) {
            int other = jumpUnless(JEQ, extension);
            add(RET, at + snapBytes);
            land(other);
        }
        add(RET, 0);
        land(tcp);
        add(LD | H | ABS, at + IPV6_HEADER_BYTES + 2);
        int client = skipUnlessPort();
        notOnlyAcknowledges6(at);
        add(RET, at + snapBytes);
        land(client);
        add(LD | H | ABS, at + IPV6_HEADER_BYTES);
        int neither = skipUnlessPort();
        notOnlyAcknowledges6(at);
        add(RET, at + answerBytes);
        land(neither);
        add(RET, 0);
    }

    private void notOnlyAcknowledges6(int at) {
        add(LD | B | ABS, at + IPV6_HEADER_BYTES + 13);
        int control = jumpWhen(JSET, SYN_FIN_RST);
        add(LD | H | ABS, at + 4);
        int jumbo = jumpWhen(JEQ, 0);
        int data = jumpOnData(LD | B | ABS, at + IPV6_HEADER_BYTES + 12);
        land(control);
        land(jumbo);
        land(data);
    }

    /** Keeps nothing unless the accumulator, which holds the segment's length, is above its header's; else jumps. */
    private int jumpOnData(int loadDataOffset, int at) {
        add(ST, 0);
        add(loadDataOffset, at);
        add(ALU | RSH, 2);
        add(ALU | AND, 0x3c);
        add(MISC | TAX, 0);
        add(LD | W | MEM, 0);
        int data = jumpWhen(JGT | X, 0);
        add(RET, 0);
        return data;
    }

    /**
     * Goes on after this where the accumulator is one of the ports.
     *
     * @return the jump that is taken where it is none
     */
    private int skipUnlessPort() {
        int[] hits = new int[ports.length];
        for (int i = 0; i < ports.length; i++) {
            hits[i] = jumpWhen(JEQ, ports[i]);
        }
        int miss = length;
        add(JMP | JA, 0);
        for (int hit : hits) {
            land(hit);
        }
        return miss;
    }

    private int jumpWhen(int condition, int operand) {
        return jump(condition, operand, true);
    }

    private int jumpUnless(int condition, int operand) {
        return jump(condition, operand, false);
    }

    /**
     * Adds a conditional jump of any length; the condition's own reaches only 255 instructions.
     *
     * @return its place
     */
    private int jump(int condition, int operand, boolean when) {
        program[length++] = new int[] {JMP | condition, when ? 0 : 1, when ? 1 : 0, operand};
        add(JMP | JA, 0);
        return length - 1;
    }

    /** Lets a jump lead to the next instruction. */
    private void land(int jump) {
        program[jump][3] = length - jump - 1;
    }

    private void add(int code, int operand) {
        program[length++] = new int[] {code, 0, 0, operand};
    }
}
