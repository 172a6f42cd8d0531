package dev.lockstep.protocol;

/** Reads one Thrift message after the other, in pieces of any size. Used by the thread of its connection. */
final class ThriftMessageReader {
    // A message's type.
    static final int CALL = 1;
    static final int REPLY = 2;
    static final int EXCEPTION = 3;
    static final int ONEWAY = 4;

    private ThriftMessageReader() {}
}
