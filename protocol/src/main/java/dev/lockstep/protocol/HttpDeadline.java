package dev.lockstep.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Finds the deadline that a request of Finagle's carries in its HTTP/1 head, and moves it to another time: the field
 * {@code Finagle-Ctx-com.twitter.finagle.Deadline} (finagle-base-http, {@code HttpDeadline.scala}). Its value is the
 * deadline's timestamp and the deadline itself, in ns since 1970: two decimal numbers with a blank between.
 *
 * <p>No length changes. Times between 2001 and 2286 have 19 digits; a deadline with fewer is left as it is, and one
 * with more gets zeros in front.
 *
 * <p>Runs per request; one thread; allocates nothing.
 */
public final class HttpDeadline {
    /** The field's name in lower case, as HTTP/2 has it. */
    public static final String NAME = "finagle-ctx-com.twitter.finagle.deadline";

    private static final byte[] NAME_BYTES = HttpBytes.ascii(NAME);
    private static final int LEAST_DIGITS = 19;
    private static final long BLANK = ByteSearch.pattern(' ');

    private final HttpFieldReader fields = HttpFieldReader.lenient(new Listener());

    /** Where the value of the first such field begins, -1 for none, and where it ends. */
    private int valueFrom;

    private int valueTo;

    /**
     * Moves the deadline of a request. The buffer's own indices are neither used nor moved.
     *
     * @param from the index of the request's first byte
     * @param to the index after its last byte, or as much of it as there is
     * @param epochNs of its timestamp; the budget, from there to the deadline, stays
     * @return whether there is one that can be moved; what is as good as never cannot
     */
    public boolean move(ByteBuf request, int from, int to, long epochNs) {
        int start = from;
        while (start < to && (request.getByte(start) == '\r' || request.getByte(start) == '\n')) {
            start++;
        }
        valueFrom = -1;
        fields.begin();
        fields.read(request, Math.min(to, ByteSearch.lineFeed(request, start, to) + 1), to);
        if (valueFrom < 0 || !isMovable(request, valueFrom, valueTo)) {
            return false;
        }
        int blank = ByteSearch.find(request, valueFrom, valueTo, BLANK);
        long budgetNs = number(request, blank + 1, valueTo) - number(request, valueFrom, blank);
        write(request, valueFrom, blank, epochNs);
        write(request, blank + 1, valueTo, epochNs + budgetNs);
        return true;
    }

    static boolean isName(ByteBuf bytes, int from, int to) {
        return HttpBytes.equalsIgnoringCase(bytes, from, to, NAME_BYTES);
    }

    /** Tells whether a value of the field, without blanks around it, is a deadline that can be moved. */
    static boolean isMovable(ByteBuf bytes, int from, int to) {
        int blank = ByteSearch.find(bytes, from, to, BLANK);
        return FinagleDeadline.isMovable(number(bytes, from, blank), number(bytes, blank + 1, to));
    }

    /** Returns a number that has room for a time of today, or -1. */
    private static long number(ByteBuf bytes, int from, int to) {
        return to - from < LEAST_DIGITS ? -1 : RequestFacts.number(bytes, from, to);
    }

    private static void write(ByteBuf out, int from, int to, long number) {
        long left = number;
        for (int i = to - 1; i >= from; i--) {
            out.setByte(i, (int) ('0' + left % 10));
            left /= 10;
        }
    }

    /** Finds the first such field, which Finagle takes too. */
    private final class Listener implements HttpFieldReader.Listener {
        @Override
        public boolean name(ByteBuf bytes, int from, int to, boolean begins, boolean ends) {
            if (begins && ends && isName(bytes, from, to)) {
                valueFrom = to;
                valueTo = to;
                return true;
            }
            return false;
        }

        @Override
        public boolean value(ByteBuf bytes, int from, int to) {
            int lineEnd = HttpBytes.withoutCarriageReturn(bytes, from, to);
            valueFrom = HttpBytes.skipBlanks(bytes, from, lineEnd);
            valueTo = HttpBytes.trimmedEnd(bytes, valueFrom, lineEnd);
            return false;
        }
    }
}
