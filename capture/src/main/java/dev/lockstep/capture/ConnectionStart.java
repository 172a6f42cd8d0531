package dev.lockstep.capture;

import dev.lockstep.capture.format.CaptureFormat;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.immutables.value.Value;

/** What a CONN_OPEN record says of its connection. */
@Value.Immutable(builder = false, copy = false)
public abstract class ConnectionStart {
    /** The client's address, or null when it is not known. */
    @Nullable
    public abstract InetSocketAddress client();

    /** The address that the client connected to, or null when it is not known. */
    @Nullable
    public abstract InetSocketAddress server();

    /** Whether the connection was open before this file, or the recording, began. */
    public abstract boolean alreadyOpen();

    /** Whether this connection is not new but goes on from the segment before. */
    public abstract boolean goesOn();

    /** What else is known of the connection. */
    public abstract ConnectionDetails details();

    /** Reads the payload of a CONN_OPEN record that was checked to hold its addresses. */
    static ConnectionStart decode(ByteBuffer bytes, int payload, int length) {
        int clientBytes = bytes.get(payload + CaptureFormat.OPEN_CLIENT_ADDRESS_BYTES) & 0xFF;
        int serverBytes = bytes.get(payload + CaptureFormat.OPEN_SERVER_ADDRESS_BYTES) & 0xFF;
        int flags = bytes.getShort(payload + CaptureFormat.OPEN_FLAGS) & 0xFFFF;
        int addresses = payload + CaptureFormat.OPEN_HEADER_BYTES;
        int details = addresses + clientBytes + serverBytes;
        return ImmutableConnectionStart.of(
                address(bytes, addresses, clientBytes, bytes.getShort(payload + CaptureFormat.OPEN_CLIENT_PORT)),
                address(
                        bytes,
                        addresses + clientBytes,
                        serverBytes,
                        bytes.getShort(payload + CaptureFormat.OPEN_SERVER_PORT)),
                (flags & CaptureFormat.OPEN_ALREADY) != 0,
                CaptureFormat.detail(bytes, details, payload + length, CaptureFormat.DETAIL_WHOLE_NUMBER) >= 0,
                ConnectionDetails.decode(bytes, details, payload + length));
    }

    private static InetSocketAddress address(ByteBuffer bytes, int at, int length, short port) {
        if (length != 4 && length != 16) {
            return null;
        }
        byte[] address = new byte[length];
        ByteBuffer view = bytes.duplicate();
        view.limit(at + length).position(at);
        view.get(address);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), port & 0xFFFF);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of 4 or 16 bytes is one", e);
        }
    }
}
