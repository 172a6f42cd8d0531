package dev.lockstep.recorder;

import dev.lockstep.protocol.ByteSearch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A header of the PROXY protocol, version 1 or 2 (proxy-protocol.txt of HAProxy). A proxy puts it before a connection's
 * bytes to name the true ends. Immutable.
 */
final class ProxyHeader {
    /** The answer of {@link #length} for bytes that do not begin a header. */
    static final int NONE = -1;
    /** The answer of {@link #length} while more bytes are needed. */
    static final int INCOMPLETE = 0;

    private static final byte[] V1 = {'P', 'R', 'O', 'X', 'Y', ' '};
    private static final byte[] V2 = {0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A};
    private static final int V1_MAX_BYTES = 107;
    private static final int V2_FIXED_BYTES = 16;
    private static final int V2_COMMAND = 12;
    private static final int V2_FAMILY = 13;
    private static final int V2_LENGTH = 14;
    private static final int LOCAL = 0x20;
    private static final int PROXY = 0x21;
    private static final int TCP4 = 0x11;
    private static final int TCP6 = 0x21;
    /** Longer headers are refused: the longest that is known has a client certificate in it. */
    private static final int V2_MAX_BYTES = 16 << 10;

    private final byte[] bytes;
    /** The client's address, or null where the header names none: then the real one stands. */
    final InetSocketAddress source;
    /** The address that the client connected to, or null where the header names none. */
    final InetSocketAddress destination;

    private ProxyHeader(byte[] bytes, InetSocketAddress source, InetSocketAddress destination) {
        this.bytes = bytes;
        this.source = source;
        this.destination = destination;
    }

    /**
     * The length of the header at the beginning of the bytes, {@link #NONE} or {@link #INCOMPLETE}. A first byte that
     * differs is enough for NONE, so nobody waits in vain.
     */
    static int length(ByteBuf buffer, int from, int to) {
        if (ByteSearch.begins(buffer, from, to, V1)) {
            int end = Math.min(to, from + V1_MAX_BYTES);
            int newline = buffer.indexOf(from, end, (byte) '\n');
            return newline >= 0 ? newline + 1 - from : end - from == V1_MAX_BYTES ? V1_MAX_BYTES : INCOMPLETE;
        }
        if (ByteSearch.begins(buffer, from, to, V2)) {
            if (to - from < V2_FIXED_BYTES) {
                return INCOMPLETE;
            }
            int length = V2_FIXED_BYTES + buffer.getUnsignedShort(from + V2_LENGTH);
            return length > V2_MAX_BYTES || to - from >= length ? Math.min(length, to - from) : INCOMPLETE;
        }
        return NONE;
    }

    /** Reads a header whose length {@link #length} has found; null when it is malformed. */
    static ProxyHeader parse(ByteBuf buffer, int from, int length) {
        byte[] bytes = ByteBufUtil.getBytes(buffer, from, length, true);
        try {
            return bytes[0] == V1[0] ? parseText(bytes) : parseBinary(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("addresses of 4 and 16 bytes are known", e);
        }
    }

    private static ProxyHeader parseText(byte[] bytes) throws UnknownHostException {
        String line = new String(bytes, StandardCharsets.ISO_8859_1);
        if (!line.endsWith("\r\n")) {
            return null;
        }
        String[] words = line.substring(0, line.length() - 2).split(" ", -1);
        if (words[1].equals("UNKNOWN")) {
            return new ProxyHeader(bytes, null, null);
        }
        if (words.length != 6 || !words[1].equals("TCP4") && !words[1].equals("TCP6")) {
            return null;
        }
        boolean wide = words[1].equals("TCP6");
        InetSocketAddress source = address(wide, words[2], words[4]);
        InetSocketAddress destination = address(wide, words[3], words[5]);
        return source == null || destination == null ? null : new ProxyHeader(bytes, source, destination);
    }

    private static InetSocketAddress address(boolean wide, String host, String port) throws UnknownHostException {
        boolean valid = wide ? NetUtil.isValidIpV6Address(host) : NetUtil.isValidIpV4Address(host);
        if (!valid || host.indexOf('%') >= 0 || port.isEmpty() || port.length() > 5) {
            return null;
        }
        int number = 0;
        for (int i = 0; i < port.length(); i++) {
            int digit = port.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return null;
            }
            number = number * 10 + digit;
        }
        byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
        return number > 0xFFFF || address == null
                ? null
                : new InetSocketAddress(InetAddress.getByAddress(address), number);
    }

    private static ProxyHeader parseBinary(byte[] bytes) throws UnknownHostException {
        if (bytes.length < V2_FIXED_BYTES || bytes.length != V2_FIXED_BYTES + number(bytes, V2_LENGTH)) {
            return null;
        }
        int command = bytes[V2_COMMAND] & 0xFF;
        if (command == LOCAL) {
            return new ProxyHeader(bytes, null, null);
        }
        if (command != PROXY) {
            return null;
        }
        int family = bytes[V2_FAMILY] & 0xFF;
        if (family != TCP4 && family != TCP6) {
            // Unspecified, or ends without an IP address: the real ends stand, as the specification says.
            return new ProxyHeader(bytes, null, null);
        }
        int size = family == TCP4 ? 4 : 16;
        int ports = V2_FIXED_BYTES + 2 * size;
        if (bytes.length < ports + 4) {
            return null;
        }
        return new ProxyHeader(
                bytes,
                new InetSocketAddress(slice(bytes, V2_FIXED_BYTES, size), number(bytes, ports)),
                new InetSocketAddress(slice(bytes, V2_FIXED_BYTES + size, size), number(bytes, ports + 2)));
    }

    private static InetAddress slice(byte[] bytes, int from, int size) throws UnknownHostException {
        return InetAddress.getByAddress(Arrays.copyOfRange(bytes, from, from + size));
    }

    private static int number(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
    }

    /** The header for a connection of the client to what it believes to be the server. */
    static byte[] encode(ProxyHeaderOut version, InetSocketAddress client, InetSocketAddress server) {
        byte[] from = client.getAddress().getAddress();
        byte[] to = server.getAddress().getAddress();
        if (from.length != to.length) {
            from = wide(from);
            to = wide(to);
        }
        if (version == ProxyHeaderOut.V1) {
            String line = "PROXY " + (from.length == 4 ? "TCP4 " : "TCP6 ") + text(from) + " " + text(to) + " "
                    + client.getPort() + " " + server.getPort() + "\r\n";
            return line.getBytes(StandardCharsets.US_ASCII);
        }
        int addressBytes = 2 * from.length + 4;
        byte[] header = Arrays.copyOf(V2, V2_FIXED_BYTES + addressBytes);
        header[V2_COMMAND] = PROXY;
        header[V2_FAMILY] = (byte) (from.length == 4 ? TCP4 : TCP6);
        putNumber(header, V2_LENGTH, addressBytes);
        System.arraycopy(from, 0, header, V2_FIXED_BYTES, from.length);
        System.arraycopy(to, 0, header, V2_FIXED_BYTES + from.length, to.length);
        putNumber(header, header.length - 4, client.getPort());
        putNumber(header, header.length - 2, server.getPort());
        return header;
    }

    private static void putNumber(byte[] bytes, int at, int number) {
        bytes[at] = (byte) (number >>> 8);
        bytes[at + 1] = (byte) number;
    }

    /** An IPv4 address becomes a mapped one of IPv6. */
    private static byte[] wide(byte[] address) {
        if (address.length == 16) {
            return address;
        }
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xFF;
        mapped[11] = (byte) 0xFF;
        System.arraycopy(address, 0, mapped, 12, 4);
        return mapped;
    }

    private static String text(byte[] address) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < address.length; i += address.length == 4 ? 1 : 2) {
            if (address.length == 4) {
                text.append(i == 0 ? "" : ".").append(address[i] & 0xFF);
            } else {
                text.append(i == 0 ? "" : ":").append(Integer.toHexString(number(address, i)));
            }
        }
        return text.toString();
    }

    byte[] bytes() {
        return bytes.clone();
    }
}
