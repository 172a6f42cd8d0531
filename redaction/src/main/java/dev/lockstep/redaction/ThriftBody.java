package dev.lockstep.redaction;

import dev.lockstep.capture.Protocol;
import io.netty.buffer.ByteBuf;

/** Searches a Thrift message in an HTTP body. Used by the thread of its connection. */
final class ThriftBody extends BodyScanner {
    private final ThriftScanner message;
    private boolean begun;

    ThriftBody(RuleSet rules, Secret secret, Window window, RedactionCounts counts) {
        message = new ThriftScanner(Protocol.THRIFT_UNFRAMED_BINARY, rules, secret, window, counts);
    }

    @Override
    void begin() {
        begun = false;
    }

    @Override
    void scan(ByteBuf bytes, int from, int to, long base) {
        message.scan(!begun, false, bytes, from, to, base + from);
        begun = true;
    }

    @Override
    void end() {
        message.end();
    }
}
