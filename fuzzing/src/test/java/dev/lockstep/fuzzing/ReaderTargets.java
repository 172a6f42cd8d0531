package dev.lockstep.fuzzing;

import dev.lockstep.protocol.HttpFieldReader;
import dev.lockstep.protocol.ThriftStructReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The readers that listeners follow: they tell the same however the bytes are cut, and no more than there is. */
final class ReaderTargets {
    private static final int SEED = 17;

    private ReaderTargets() {}

    /** The first byte says which values are of use. */
    static void httpFields(byte[] input) {
        if (input.length == 0) {
            return;
        }
        long whole = fields(input, input.length);
        if (whole != fields(input, 1) || whole != fields(input, 7)) {
            throw new AssertionError("fields depend on how the bytes are cut");
        }
    }

    private static long fields(byte[] input, int step) {
        ByteBuf bytes = Unpooled.wrappedBuffer(input);
        Fields told = new Fields(input[0]);
        HttpFieldReader reader = HttpFieldReader.lenient(told);
        reader.begin();
        for (int start = 1; start < input.length; start += step) {
            int end = Math.min(input.length, start + step);
            for (int from = start; from < end; ) {
                from = Progress.check(reader.read(bytes, from, end), from, end);
                if (reader.hasEnded()) {
                    told.add('E', 0);
                    reader.begin();
                }
            }
        }
        if (told.count > input.length) {
            throw new AssertionError(told.count + " bytes told of " + input.length);
        }
        return told.digest;
    }

    /** The first byte names the protocol, what is of use and how the bytes are cut. */
    static void thriftStruct(byte[] input) {
        if (input.length == 0) {
            return;
        }
        if (struct(input, input.length) != struct(input, 1 + (input[0] >> 4 & 7))) {
            throw new AssertionError("a struct depends on how the bytes are cut");
        }
    }

    private static long struct(byte[] input, int step) {
        ByteBuf bytes = Unpooled.wrappedBuffer(input);
        Values told = new Values(input[0]);
        ThriftStructReader reader = new ThriftStructReader((input[0] & 2) != 0);
        reader.begin((input[0] & 1) != 0, (input[0] & 4) == 0 ? told : null);
        for (int start = 1; start < input.length; start += step) {
            int end = Math.min(input.length, start + step);
            for (int from = start; from < end && !reader.isDone() && !reader.hasFailed(); ) {
                from = Progress.check(reader.read(bytes, from, end), from, end);
                if (reader.isDone()) {
                    told.add('D', from);
                }
            }
        }
        if (told.count > input.length) {
            throw new AssertionError(told.count + " bytes told of " + input.length);
        }
        // Where a value breaks off is told by a piece that depends on the cuts.
        return reader.hasFailed() ? 0 : told.digest;
    }

    /** Sums up what is told. */
    private static class Told {
        long digest;
        long count;
        final int choice;

        Told(byte choice) {
            this.choice = choice;
        }

        void add(char what, long value) {
            digest = (digest * SEED + what) * SEED + value;
        }

        void addBytes(ByteBuf bytes, int from, int to) {
            for (int i = from; i < to; i++) {
                digest = digest * SEED + bytes.getByte(i);
            }
            count += to - from;
        }
    }

    private static final class Fields extends Told implements HttpFieldReader.Listener {
        private long name;

        Fields(byte choice) {
            super(choice);
        }

        @Override
        public boolean name(ByteBuf bytes, int from, int to, boolean begins, boolean ends) {
            name = begins ? 1 : name;
            for (int i = from; i < to; i++) {
                name = name * SEED + bytes.getByte(i);
            }
            count += to - from;
            if (ends) {
                add('N', name);
            }
            return ends && (name & choice) == 0;
        }

        @Override
        public boolean value(ByteBuf bytes, int from, int to) {
            addBytes(bytes, from, to);
            return true;
        }

        @Override
        public void lineEnded() {
            add('L', 0);
        }

        @Override
        public boolean continued() {
            add('C', 0);
            return (digest & 1) == 0;
        }

        @Override
        public boolean fieldEnded() {
            add('F', 0);
            return true;
        }

        @Override
        public boolean blankBehindName() {
            add('B', name);
            return (name & choice) == 0;
        }
    }

    private static final class Values extends Told implements ThriftStructReader.Listener {
        Values(byte choice) {
            super(choice);
        }

        @Override
        public boolean field(int level, int id, int type) {
            add('F', (long) level << 32 | (id & 0xffff) << 8 | type);
            return (id & choice >> 3) == 0;
        }

        @Override
        public boolean value(int level, int type) {
            add('V', (long) level << 8 | type);
            return type != ThriftStructReader.BOOL;
        }

        @Override
        public void bytes(ByteBuf bytes, int from, int to) {
            addBytes(bytes, from, to);
        }

        @Override
        public void valueEnded() {
            add('E', 0);
        }
    }
}
