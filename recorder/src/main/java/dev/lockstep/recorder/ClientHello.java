package dev.lockstep.recorder;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The server's name and the protocols in a TLS ClientHello (RFC 8446, section 4.1.2). Malformed parts are left out; the
 * TLS engine reads the same bytes and refuses them. Immutable.
 */
final class ClientHello {
    private static final int VERSION_AND_RANDOM_BYTES = 2 + 32;
    private static final int SERVER_NAME = 0;
    private static final int ALPN = 16;

    private String serverName;
    /** The protocols that the client offers by ALPN, the best first; empty when it offers none. */
    final List<String> protocols = new ArrayList<>();

    private ClientHello() {}

    /** Reads the body of a ClientHello, from its version on. Neither moves the buffer's indices nor keeps it. */
    static ClientHello parse(ByteBuf body) {
        ClientHello hello = new ClientHello();
        int end = body.writerIndex();
        int at = body.readerIndex() + VERSION_AND_RANDOM_BYTES;
        at = afterVector(body, at, end, 1); // session
        at = afterVector(body, at, end, 2); // cipher suites
        at = afterVector(body, at, end, 1); // compression methods
        end = Math.min(end, afterVector(body, at, end, 2));
        at += 2;
        while (at <= end - 4) {
            int next = afterVector(body, at + 2, end, 2);
            if (next > end) {
                break;
            }
            int type = body.getUnsignedShort(at);
            if (type == SERVER_NAME) {
                hello.readServerName(body, at + 4, next);
            } else if (type == ALPN) {
                hello.readProtocols(body, at + 4, next);
            }
            at = next;
        }
        return hello;
    }

    private void readServerName(ByteBuf body, int from, int to) {
        int at = from + 2; // the list's length
        while (at <= to - 3) {
            int next = afterVector(body, at + 1, to, 2);
            if (next > to) {
                return;
            }
            if (body.getByte(at) == 0) { // host_name
                serverName = body.toString(at + 3, next - at - 3, StandardCharsets.US_ASCII);
                return;
            }
            at = next;
        }
    }

    private void readProtocols(ByteBuf body, int from, int to) {
        int at = from + 2; // the list's length
        while (at < to) {
            int next = afterVector(body, at, to, 1);
            if (next > to) {
                return;
            }
            protocols.add(body.toString(at + 1, next - at - 1, StandardCharsets.ISO_8859_1));
            at = next;
        }
    }

    /** The index behind a vector, which begins with its length; beyond {@code end} when it is not all there. */
    private static int afterVector(ByteBuf body, int at, int end, int lengthBytes) {
        if (at > end - lengthBytes) {
            return end + 1;
        }
        return at + lengthBytes + (lengthBytes == 1 ? body.getUnsignedByte(at) : body.getUnsignedShort(at));
    }

    /** The name that the client asks for, as it was sent, or null. */
    String serverName() {
        return serverName;
    }
}
