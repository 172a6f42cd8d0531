package dev.lockstep.recorder;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Takes the PROXY protocol header off the beginning of a client's bytes, tells the connection's opening once whose it
 * is or that it is refused, and leaves the pipeline.
 */
final class ProxyHeaderReader extends ByteToMessageDecoder {
    private final boolean required;
    private final ConnectionOpening opening;
    private boolean refused;

    ProxyHeaderReader(boolean required, ConnectionOpening opening) {
        this.required = required;
        this.opening = opening;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (refused) {
            in.skipBytes(in.readableBytes());
            return;
        }
        int from = in.readerIndex();
        int length = ProxyHeader.length(in, from, in.writerIndex());
        if (length == ProxyHeader.INCOMPLETE) {
            return;
        }
        ProxyHeader header = length == ProxyHeader.NONE ? null : ProxyHeader.parse(in, from, length);
        if (header == null && (required || length != ProxyHeader.NONE)) {
            refused = true;
            in.skipBytes(in.readableBytes());
            opening.refuseHeader();
            return;
        }
        if (header != null) {
            in.skipBytes(length);
        }
        opening.identified(header);
        ctx.pipeline().remove(this); // which hands on what else has come
    }
}
