package dev.lockstep.replayer.requests;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.RequestFacts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Reads what the requests of a capture ask for. One thread; valid until the capture is closed. */
public final class RecordedRequests {
    /** How much of a request is looked at. */
    private static final int LONGEST_HEAD = 64 << 10;

    private final Capture capture;
    private final ByteBuf[] mappings;
    /** Takes the beginning of a request that lies in several pieces. */
    private final ByteBuf head = Unpooled.buffer(1024, LONGEST_HEAD);

    public RecordedRequests(Capture capture) {
        this.capture = capture;
        mappings = mappings(capture);
    }

    /** The capture's memory, which needs no release. */
    static ByteBuf[] mappings(Capture capture) {
        ByteBuf[] mappings = new ByteBuf[capture.mappingCount()];
        for (int i = 0; i < mappings.length; i++) {
            mappings[i] = Unpooled.wrappedBuffer(capture.mapping(i));
        }
        return mappings;
    }

    /** A part of the capture's memory, which needs no release; read it by index only. */
    public ByteBuf mapping(int index) {
        return mappings[index];
    }

    /** What the first 64 KiB of a request say. */
    public RequestFacts facts(long request) {
        Protocol atLast = capture.protocol(capture.connection(request));
        // A connection of HTTP/1 may have become another one behind the request: a tunnel, or HTTP/2 by an upgrade.
        Protocol protocol = atLast.isThrift() ? atLast : Protocol.HTTP1;
        if (capture.fragments(request) == 1) {
            int offset = capture.offset(request, 0);
            int length = Math.min(LONGEST_HEAD, capture.fragmentLength(request, 0));
            return RequestFacts.of(protocol, mappings[capture.mapping(request, 0)], offset, offset + length);
        }
        head.clear();
        for (int fragment = 0; fragment < capture.fragments(request) && head.maxWritableBytes() > 0; fragment++) {
            head.writeBytes(
                    mappings[capture.mapping(request, fragment)],
                    capture.offset(request, fragment),
                    Math.min(head.maxWritableBytes(), capture.fragmentLength(request, fragment)));
        }
        return RequestFacts.of(protocol, head, 0, head.writerIndex());
    }
}
