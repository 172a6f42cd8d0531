package dev.lockstep.replayer;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A server of HTTP/2 with prior knowledge, Netty's, and the frames of clients and servers. */
final class TestingHttp2 implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;

    static final int ACK = 0x1;
    static final int END_STREAM = 0x1;
    static final int END_HEADERS = 0x4;

    static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    /** GET http / with the authority "h", which is put into the header table. */
    static final String GET = "\u0082\u0086\u0084\u0041\u0001h";
    /** POST with the same authority, from the table. */
    static final String POST = "\u0083\u0086\u0084\u00be";

    static final String STATUS_200 = "\u0088";
    static final String STATUS_404 = "\u008d";

    private final EventLoopGroup group = new NioEventLoopGroup(1);
    private final Channel server;
    private final List<String> requests = new CopyOnWriteArrayList<>();

    TestingHttp2() throws InterruptedException {
        server = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        Http2FrameCodecBuilder.forServer().build(),
                                        new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
                                            @Override
                                            protected void initChannel(Channel stream) {
                                                stream.pipeline().addLast(new Answering());
                                            }
                                        }));
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
    }

    /** Answers with as many bytes as the request has, and 10 more. */
    private final class Answering extends ChannelInboundHandlerAdapter {
        private Http2Headers headers;
        private int bytes;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            boolean ends;
            if (message instanceof Http2HeadersFrame) {
                headers = ((Http2HeadersFrame) message).headers();
                ends = ((Http2HeadersFrame) message).isEndStream();
            } else if (message instanceof Http2DataFrame) {
                Http2DataFrame data = (Http2DataFrame) message;
                bytes += data.content().readableBytes();
                ends = data.isEndStream();
                data.release();
            } else {
                return;
            }
            if (ends) {
                requests.add(headers.method() + " " + headers.authority() + " " + bytes);
                ctx.write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
                ByteBuf body = Unpooled.wrappedBuffer(new byte[bytes + 10]);
                ctx.writeAndFlush(new DefaultHttp2DataFrame(body, true));
            }
        }
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.localAddress();
    }

    /** Returns the requests in order of their ends, as "method authority bytes". */
    List<String> requests() {
        return requests;
    }

    /** Returns a frame as text of one byte a character. */
    static String frame(int type, int flags, int stream, String payload) {
        ByteBuf frame = Unpooled.buffer();
        frame.writeMedium(payload.length()).writeByte(type).writeByte(flags).writeInt(stream);
        frame.writeCharSequence(payload, StandardCharsets.ISO_8859_1);
        return frame.toString(StandardCharsets.ISO_8859_1);
    }

    static String number(int value) {
        return Unpooled.buffer().writeInt(value).toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        server.close().awaitUninterruptibly();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
