import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A server whose latency is known: one thread that answers at once, but does nothing for STALL ms in every PERIOD ms.
 *
 * <p>At a constant rate, from the intended send, P(latency > x) = (STALL - x) / PERIOD: with 200 and 2000 the 95th
 * percentile is 100 ms, the 99th 180 ms, the 99.9th 198 ms. It takes each read for as many requests as blank lines end in
 * it, so it is for GET requests.
 *
 * <pre>java benchmarks/StallServer.java PORT STALL_MS PERIOD_MS</pre>
 */
final class StallServer {
    public static void main(String[] args) throws Exception {
        long stallMs = Long.parseLong(args[1]);
        long periodNs = Long.parseLong(args[2]) * 1_000_000;
        byte[] answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer in = ByteBuffer.allocateDirect(64 * 1024);
        ByteBuffer out = ByteBuffer.allocateDirect(answer.length).put(answer).flip();
        Selector selector = Selector.open();
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])), 4096);
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        long stallAtNs = System.nanoTime() + periodNs;
        while (true) {
            long leftNs = stallAtNs - System.nanoTime();
            if (leftNs <= 0) {
                Thread.sleep(stallMs);
                stallAtNs += periodNs;
                continue;
            }
            selector.select(Math.max(1, leftNs / 1_000_000));
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.isAcceptable()) {
                    SocketChannel client = server.accept();
                    client.setOption(StandardSocketOptions.TCP_NODELAY, true);
                    client.configureBlocking(false);
                    client.register(selector, SelectionKey.OP_READ);
                } else {
                    answer((SocketChannel) key.channel(), in.clear(), out);
                }
            }
            selector.selectedKeys().clear();
        }
    }

    private static void answer(SocketChannel client, ByteBuffer in, ByteBuffer out) {
        try {
            if (client.read(in) < 0) {
                client.close();
                return;
            }
            in.flip();
            for (int at = 3; at < in.limit(); at++) {
                if (in.getInt(at - 3) == 0x0D0A0D0A) {
                    client.write(out.rewind());
                }
            }
        } catch (java.io.IOException e) {
            try {
                client.close();
            } catch (java.io.IOException closing) {
                // Closed either way.
            }
        }
    }
}
