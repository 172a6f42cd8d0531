package dev.lockstep.capture;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * What is known of a connection beside its addresses: its TLS, as the client and the recorder agreed on it, and the
 * PROXY header in front of it. Immutable.
 */
public final class ConnectionDetails {
    /** Nothing is known. */
    public static final ConnectionDetails NONE = new ConnectionDetails(null, null, null, null);

    /** The longest PROXY header that is kept, in bytes; version 1 takes 107, version 2 rarely more than some hundred. */
    public static final int MAX_PROXY_HEADER_BYTES = 2048;

    /** The longest text of each kind, in bytes of UTF-8; a server name and an ALPN name have at most 255. */
    private static final int MAX_TEXT_BYTES = 255;

    private final String tlsServerName;
    private final String alpn;
    private final String tlsVersion;
    private final byte[] proxyHeader;

    private ConnectionDetails(String tlsServerName, String alpn, String tlsVersion, byte[] proxyHeader) {
        this.tlsServerName = tlsServerName;
        this.alpn = alpn;
        this.tlsVersion = tlsVersion;
        this.proxyHeader = proxyHeader;
    }

    /**
     * Returns the details of a TLS connection; each is null where it is not known. Texts beyond 255 bytes are cut.
     *
     * @param serverName the name that the client asked for
     * @param alpn the protocol agreed on, such as {@code h2}
     * @param version the version, such as {@code TLSv1.3}
     */
    public static ConnectionDetails tls(String serverName, String alpn, String version) {
        return new ConnectionDetails(cut(serverName), cut(alpn), cut(version), null);
    }

    /**
     * Returns these details with a PROXY header, version 1 or 2, byte for byte; one beyond
     * {@value #MAX_PROXY_HEADER_BYTES} bytes is cut.
     */
    public ConnectionDetails withProxyHeader(byte[] header) {
        byte[] copy = header == null ? null : Arrays.copyOf(header, Math.min(header.length, MAX_PROXY_HEADER_BYTES));
        return new ConnectionDetails(tlsServerName, alpn, tlsVersion, copy);
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

    /** Returns the name that the client asked for in TLS, or null. */
    public String tlsServerName() {
        return tlsServerName;
    }

    /** Returns the protocol that ALPN agreed on, or null. */
    public String alpn() {
        return alpn;
    }

    /** Returns the version of TLS, or null. */
    public String tlsVersion() {
        return tlsVersion;
    }

    /** Returns a copy of the PROXY header, or null. */
    public byte[] proxyHeader() {
        return proxyHeader == null ? null : proxyHeader.clone();
    }

    /** Tells whether nothing is known. */
    public boolean isEmpty() {
        return tlsServerName == null && alpn == null && tlsVersion == null && proxyHeader == null;
    }

    /** Returns the details as they stand behind the addresses of CONN_OPEN. */
    byte[] encode() {
        if (isEmpty()) {
            return new byte[0];
        }
        ByteBuffer bytes = ByteBuffer.allocate(
                        4 * CaptureFormat.DETAIL_HEADER_BYTES + 3 * MAX_TEXT_BYTES + MAX_PROXY_HEADER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        put(bytes, CaptureFormat.DETAIL_TLS_SERVER_NAME, utf8(tlsServerName));
        put(bytes, CaptureFormat.DETAIL_ALPN, utf8(alpn));
        put(bytes, CaptureFormat.DETAIL_TLS_VERSION, utf8(tlsVersion));
        put(bytes, CaptureFormat.DETAIL_PROXY_HEADER, proxyHeader);
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
     * Reads what stands behind the addresses of CONN_OPEN, to the end of the payload. What does not fit ends it; types
     * of later versions are passed over.
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
        return serverName == null && alpn == null && version == null && proxyHeader == null
                ? NONE
                : new ConnectionDetails(serverName, alpn, version, proxyHeader);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof ConnectionDetails)) {
            return false;
        }
        ConnectionDetails that = (ConnectionDetails) other;
        return Objects.equals(tlsServerName, that.tlsServerName)
                && Objects.equals(alpn, that.alpn)
                && Objects.equals(tlsVersion, that.tlsVersion)
                && Arrays.equals(proxyHeader, that.proxyHeader);
    }

    @Override
    public int hashCode() {
        return Objects.hash(tlsServerName, alpn, tlsVersion, Arrays.hashCode(proxyHeader));
    }

    @Override
    public String toString() {
        return "ConnectionDetails[tlsServerName="
                + tlsServerName
                + ", alpn="
                + alpn
                + ", tlsVersion="
                + tlsVersion
                + ", proxyHeader="
                + (proxyHeader == null ? "none" : proxyHeader.length + " bytes")
                + ']';
    }
}
