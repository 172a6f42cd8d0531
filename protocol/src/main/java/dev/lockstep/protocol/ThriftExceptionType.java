package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/** Reads the kind of a TApplicationException, the i32 in its field 2. Runs per exception; used by one thread. */
final class ThriftExceptionType implements ThriftStructReader.Listener {
    private static final int FIELD = 2;

    private boolean compact;
    private int type;

    // Of the number being read; compact's comes seven bits a byte, the lowest first.
    private long number;
    private int bits;

    void begin(boolean compactProtocol) {
        compact = compactProtocol;
        type = 0;
    }

    /** The kind, or 0 where the exception names none. */
    int type() {
        return type;
    }

    @Override
    public boolean field(int level, int id, int fieldType) {
        return level == 0 && id == FIELD && fieldType == ThriftStructReader.I32;
    }

    @Override
    public boolean value(int level, int valueType) {
        number = 0;
        bits = 0;
        return true;
    }

    @Override
    public void bytes(ByteBuf bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = bytes.getByte(i);
            if (compact) {
                number |= (long) (b & 0x7f) << bits;
                bits += 7;
            } else {
                number = number << 8 | b & 0xff;
            }
        }
    }

    @Override
    public void valueEnded() {
        type = (int) (compact ? number >>> 1 ^ -(number & 1) : number);
    }
}
