package dev.lockstep.capture;

import dev.lockstep.capture.format.CaptureFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.immutables.value.Value;

/**
 * What is known of a connection beside its addresses: its TLS, as the client and the recorder agreed on it, and the
 * PROXY header in front of it.
 */
@Value.Immutable(builder = false, copy = false)
public abstract class ConnectionDetails {
    /** Nothing is known. */
    public static final ConnectionDetails NONE = ImmutableConnectionDetails.of(null, null, null, null);

    /**
     * The longest PROXY header that is kept, in bytes; version 1 takes 107, version 2 rarely more than some hundred.
     */
    public static final int MAX_PROXY_HEADER_BYTES = 2048;

    /** The longest text of each kind, in bytes of UTF-8; a server name and an ALPN name have at most 255. */
    private static final int MAX_TEXT_BYTES = 255;

    /**
     * Returns the details of a TLS connection, null for one that is not known. Texts beyond 255 bytes are cut.
     *
     * @param serverName the name that the client asked for
     * @param alpn the protocol agreed on, such as {@code h2}
     * @param version the version, such as {@code TLSv1.3}
     */
    public static ConnectionDetails tls(String serverName, String alpn, String version) {
        return ImmutableConnectionDetails.of(cut(serverName), cut(alpn), cut(version), null);
    }

    /**
     * Returns these details with a PROXY header, version 1 or 2, byte for byte; one beyond
     * {@value #MAX_PROXY_HEADER_BYTES} bytes is cut.
     */
    public ConnectionDetails withProxyHeader(byte[] header) {
        byte[] copy = header == null ? null : Arrays.copyOf(header, Math.min(header.length, MAX_PROXY_HEADER_BYTES));
        return ImmutableConnectionDetails.of(tlsServerName(), alpn(), tlsVersion(), copy);
    }

    private static String cut(String text) {
        if (text == null) {
            return null;
        }
        String kept = text;
        while (kept.getBytes(StandardCharsets.UTF_8).length > MAX_TEXT_BYTES) {
            kept = kept.substring(0, Math.min(kept.length() - 1, MAX_TEXT_BYTES));
        }
        return kept;
    }

    /** The name that the client asked for in TLS, or null. */
    @Nullable
    public abstract String tlsServerName();

    /** The protocol that ALPN agreed on, or null. */
    @Nullable
    public abstract String alpn();

    /** The version of TLS, or null. */
    @Nullable
    public abstract String tlsVersion();

    @Nullable
    abstract byte[] header();

    /** A copy of the PROXY header, or null. */
    public byte[] proxyHeader() {
        return header() == null ? null : header().clone();
    }

    public boolean isEmpty() {
        return equals(NONE);
    }

    /** Returns the details as they stand behind the addresses of CONN_OPEN. */
    byte[] encode() {
        if (isEmpty()) {
            return new byte[0];
        }
        ByteBuffer bytes = ByteBuffer.allocate(
                        4 * CaptureFormat.DETAIL_HEADER_BYTES + 3 * MAX_TEXT_BYTES + MAX_PROXY_HEADER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        put(bytes, CaptureFormat.DETAIL_TLS_SERVER_NAME, utf8(tlsServerName()));
        put(bytes, CaptureFormat.DETAIL_ALPN, utf8(alpn()));
        put(bytes, CaptureFormat.DETAIL_TLS_VERSION, utf8(tlsVersion()));
        put(bytes, CaptureFormat.DETAIL_PROXY_HEADER, header());
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    private static byte[] utf8(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static void put(ByteBuffer bytes, int type, byte[] value) {
        if (value != null) {
            bytes.putShort((short) type).putShort((short) value.length).put(value);
        }
    }

    /**
     * Reads what stands behind the addresses of CONN_OPEN, to the end of the payload. Stops at a detail that does not
     * fit; passes over types of later versions.
     */
    static ConnectionDetails decode(ByteBuffer payload, int from, int to) {
        String serverName = null;
        String alpn = null;
        String version = null;
        byte[] proxyHeader = null;
        for (int at = from; at + CaptureFormat.DETAIL_HEADER_BYTES <= to; ) {
            int type = payload.getShort(at) & 0xFFFF;
            int length = payload.getShort(at + 2) & 0xFFFF;
            at += CaptureFormat.DETAIL_HEADER_BYTES;
            if (length > to - at) {
                break;
            }
            if (type >= CaptureFormat.DETAIL_TLS_SERVER_NAME && type <= CaptureFormat.DETAIL_PROXY_HEADER) {
                byte[] value = new byte[length];
                ByteBuffer view = payload.duplicate();
                view.limit(at + length).position(at);
                view.get(value);
                String text = new String(value, StandardCharsets.UTF_8);
                if (type == CaptureFormat.DETAIL_TLS_SERVER_NAME) {
                    serverName = text;
                } else if (type == CaptureFormat.DETAIL_ALPN) {
                    alpn = text;
                } else if (type == CaptureFormat.DETAIL_TLS_VERSION) {
                    version = text;
                } else {
                    proxyHeader = value;
                }
            }
            at += length;
        }
        return ImmutableConnectionDetails.of(serverName, alpn, version, proxyHeader);
    }
}
