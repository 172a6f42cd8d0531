package dev.lockstep.conversion.exports;

import dev.lockstep.protocol.HttpChunkLine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;

/** Takes HTTP/1's chunks apart. */
final class ChunkedBody {
    private ChunkedBody() {}

    /** What the chunks hold, without trailers; null when they are cut off. */
    static byte[] decode(byte[] chunks) {
        ByteArrayOutputStream body = new ByteArrayOutputStream(chunks.length);
        ByteBuf bytes = Unpooled.wrappedBuffer(chunks);
        HttpChunkLine line = HttpChunkLine.lenient();
        line.begin();
        int at = 0;
        while (true) {
            at = line.read(bytes, at, chunks.length);
            if (!line.hasEnded() || line.size() > chunks.length - at) {
                return null;
            }
            if (line.size() == 0) {
                return body.toByteArray();
            }
            body.write(chunks, at, (int) line.size());
            at += (int) line.size();
            line.beginBehindData();
        }
    }
}
