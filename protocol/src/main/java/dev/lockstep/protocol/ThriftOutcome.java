package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Reads of an unframed Thrift message, in whatever protocol, whether it says that the call failed. Looks at its first
 * bytes only, which may arrive cut anywhere. Used by the one thread that handles the connection.
 *
 * <p>The type stands in strict binary in the fourth byte, in compact in the upper three bits of the second, in old
 * binary behind the name, and in JSON behind version and name.
 */
final class ThriftOutcome {
    private static final int UNDECIDED = -1;

    private int type;
    private int bytes;
    private int first;
    private int nameLength;
    private int commas;
    private boolean inString;

    /** Begins a message. */
    void begin() {
        type = UNDECIDED;
        bytes = 0;
        nameLength = 0;
        commas = 0;
        inString = false;
    }

    boolean isException() {
        return type == ThriftMessageReader.EXCEPTION;
    }

    void read(ByteBuf buffer, int from, int to) {
        for (int index = from; index < to && type == UNDECIDED; index++) {
            look(buffer.getByte(index) & 0xff);
        }
    }

    private void look(int b) {
        int at = bytes++;
        if (at == 0) {
            first = b;
        }
        switch (first) {
            case 0x80:
                if (at == 3) {
                    type = b;
                }
                break;
            case 0x82:
                if (at == 1) {
                    type = b >> 5;
                }
                break;
            case 0:
                if (at < 4) {
                    nameLength = nameLength << 8 | b;
                } else if (nameLength > ThriftRecognition.MAX_NAME_BYTES) {
                    type = 0;
                } else if (at == 4 + nameLength) {
                    type = b;
                }
                break;
            case '[':
                lookInText(b);
                break;
            default:
                type = 0;
        }
    }

    private void lookInText(int b) {
        if (b == '"') {
            inString = !inString;
        } else if (!inString && b == ',') {
            commas++;
        } else if (commas == 2) {
            type = b - '0';
        } else if (bytes > 2 * ThriftRecognition.MAX_NAME_BYTES) {
            type = 0;
        }
    }
}
