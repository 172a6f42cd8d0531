package dev.lockstep.recorder;

/** Runs a classic BPF program on a packet, as the kernel does (Documentation/networking/filter.rst). */
final class TestingFilter {
    private final int[][] program;

    TestingFilter(int[][] program) {
        this.program = program;
    }

    /** Returns how many bytes of the packet the program keeps; a load beyond its end keeps none. */
    int run(byte[] packet, int protocol, int packetType, int hardwareType) {
        int a = 0;
        int x = 0;
        int[] memory = new int[16];
        for (int i = 0; i < program.length; i++) {
            int code = program[i][0];
            int k = program[i][3];
            switch (code) {
                case 0x20: // ld [k]
                    if (k == PacketFilter.AD_PROTOCOL) {
                        a = protocol;
                    } else if (k == PacketFilter.AD_PKTTYPE) {
                        a = packetType;
                    } else if (k == PacketFilter.AD_HATYPE) {
                        a = hardwareType;
                    } else {
                        throw new IllegalStateException("load of " + k);
                    }
                    break;
                case 0x28: // ldh [k]
                case 0x48: // ldh [x + k]
                    int half = code == 0x28 ? k : x + k;
                    if (half + 2 > packet.length) {
                        return 0;
                    }
                    a = (packet[half] & 0xff) << 8 | packet[half + 1] & 0xff;
                    break;
                case 0x30: // ldb [k]
                case 0x50: // ldb [x + k]
                    int at = code == 0x30 ? k : x + k;
                    if (at >= packet.length) {
                        return 0;
                    }
                    a = packet[at] & 0xff;
                    break;
                case 0x60: // ld M[k]
                    a = memory[k];
                    break;
                case 0xb1: // ldxb 4*([k]&0xf)
                    if (k >= packet.length) {
                        return 0;
                    }
                    x = 4 * (packet[k] & 0xf);
                    break;
                case 0x02: // st M[k]
                    memory[k] = a;
                    break;
                case 0x1c: // sub x
                    a -= x;
                    break;
                case 0x54: // and #k
                    a &= k;
                    break;
                case 0x74: // rsh #k
                    a >>>= k;
                    break;
                case 0x07: // tax
                    x = a;
                    break;
                case 0x05: // ja
                    i += k;
                    break;
                case 0x15: // jeq #k
                    i += a == k ? program[i][1] : program[i][2];
                    break;
                case 0x45: // jset #k
                    i += (a & k) != 0 ? program[i][1] : program[i][2];
                    break;
                case 0x2d: // jgt x
                    i += Integer.compareUnsigned(a, x) > 0 ? program[i][1] : program[i][2];
                    break;
                case 0x06: // ret #k
                    return k;
                default:
                    throw new IllegalStateException("instruction 0x" + Integer.toHexString(code));
            }
        }
        throw new IllegalStateException("the program ends without a return");
    }
}
