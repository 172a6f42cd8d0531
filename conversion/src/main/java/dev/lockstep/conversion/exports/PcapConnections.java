package dev.lockstep.conversion.exports;

import dev.lockstep.capture.CloseReason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes connections as the TCP segments that would have carried them: handshake, the client's bytes, the server's
 * acknowledgements, and the end. Used by one thread.
 */
final class PcapConnections {
    /** Sequence numbers cannot tell a longer hole. */
    private static final int MAX_HOLE_BYTES = 1 << 30;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final PcapWriter writer;
    private final Map<Integer, Connection> open = new HashMap<>();
    private long connections;
    private long bytes;
    private long gaps;

    PcapConnections(PcapWriter writer) {
        this.writer = writer;
    }

    long connections() {
        return connections;
    }

    long bytes() {
        return bytes;
    }

    long gaps() {
        return gaps;
    }

    /** Begins a connection, without a handshake when it was open already. An unknown address is made up. */
    void open(int id, long epochNs, InetSocketAddress client, InetSocketAddress server, boolean alreadyOpen)
            throws IOException {
        Connection connection = new Connection(
                client == null ? madeUp(18, id, clientPort(id)) : withPort(client, id),
                server == null ? madeUp(19, 0, 80) : server,
                id);
        open.put(id, connection);
        connections++;
        if (!alreadyOpen) {
            connection.clientSequence--;
            connection.serverSequence--;
            client(connection, epochNs, PcapWriter.SYN, NOTHING);
            connection.clientSequence++;
            server(connection, epochNs, PcapWriter.SYN | PcapWriter.ACK);
            connection.serverSequence++;
            client(connection, epochNs, PcapWriter.ACK, NOTHING);
        }
    }

    boolean isOpen(int id) {
        return open.containsKey(id);
    }

    /** Writes the client's bytes, which are consumed. */
    void data(int id, long epochNs, ByteBuffer payload) throws IOException {
        Connection connection = open.get(id);
        if (connection == null || !payload.hasRemaining()) {
            return;
        }
        bytes += payload.remaining();
        while (payload.hasRemaining()) {
            int before = payload.remaining();
            int flags = PcapWriter.ACK;
            if (before <= PcapWriter.maxPayloadBytes(connection.client, connection.server)) {
                flags |= PcapWriter.PSH;
            }
            client(connection, epochNs, flags, payload);
            connection.clientSequence += before - payload.remaining();
        }
        server(connection, epochNs, PcapWriter.ACK);
    }

    /** Leaves a hole, of one byte where its length is not known. */
    void gap(int id, long epochNs, long missingBytes) throws IOException {
        Connection connection = open.get(id);
        if (connection != null) {
            gaps++;
            connection.clientSequence += (int) Math.max(1, Math.min(MAX_HOLE_BYTES, missingBytes));
            server(connection, epochNs, PcapWriter.ACK);
        }
    }

    void halfClose(int id, long epochNs) throws IOException {
        Connection connection = open.get(id);
        if (connection != null) {
            clientFin(connection, epochNs);
            server(connection, epochNs, PcapWriter.ACK);
        }
    }

    /** Writes how a connection ended: two FINs, a RST, or nothing where its end was not recorded. */
    void close(int id, long epochNs, CloseReason reason) throws IOException {
        Connection connection = open.remove(id);
        if (connection == null) {
            return;
        }
        switch (reason) {
            case CLIENT_FIN:
                clientFin(connection, epochNs);
                server(connection, epochNs, PcapWriter.FIN | PcapWriter.ACK);
                connection.serverSequence++;
                client(connection, epochNs, PcapWriter.ACK, NOTHING);
                break;
            case SERVER_FIN:
                server(connection, epochNs, PcapWriter.FIN | PcapWriter.ACK);
                connection.serverSequence++;
                if (connection.clientEnded) {
                    client(connection, epochNs, PcapWriter.ACK, NOTHING);
                } else {
                    clientFin(connection, epochNs);
                    server(connection, epochNs, PcapWriter.ACK);
                }
                break;
            case CLIENT_RESET:
                client(connection, epochNs, PcapWriter.RST | PcapWriter.ACK, NOTHING);
                break;
            case SERVER_RESET:
            case UPSTREAM_FAILED:
                server(connection, epochNs, PcapWriter.RST | PcapWriter.ACK);
                break;
            default: // open as far as is known
        }
    }

    private void clientFin(Connection connection, long epochNs) throws IOException {
        if (!connection.clientEnded) {
            connection.clientEnded = true;
            client(connection, epochNs, PcapWriter.FIN | PcapWriter.ACK, NOTHING);
            connection.clientSequence++;
        }
    }

    private void client(Connection connection, long epochNs, int flags, ByteBuffer payload) throws IOException {
        int acknowledged = (flags & PcapWriter.ACK) == 0 ? 0 : connection.serverSequence;
        writer.segment(
                epochNs, connection.client, connection.server, connection.clientSequence, acknowledged, flags, payload);
    }

    private void server(Connection connection, long epochNs, int flags) throws IOException {
        writer.segment(
                epochNs,
                connection.server,
                connection.client,
                connection.serverSequence,
                connection.clientSequence,
                flags,
                NOTHING);
    }

    /** The client's address. One without a port, as logs have them, gets a port of the connection's own. */
    private static InetSocketAddress withPort(InetSocketAddress client, int id) {
        return client.getPort() != 0 ? client : new InetSocketAddress(client.getAddress(), clientPort(id));
    }

    private static int clientPort(int id) {
        return 1024 + Math.floorMod(id, 60_000);
    }

    /** An address of 198.18.0.0/15, which is for tests (RFC 2544). */
    private static InetSocketAddress madeUp(int second, int number, int port) {
        byte[] address = {(byte) 198, (byte) second, (byte) (number >> 8), (byte) number};
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    private static final class Connection {
        final InetSocketAddress client;
        final InetSocketAddress server;
        int clientSequence;
        int serverSequence;
        boolean clientEnded;

        Connection(InetSocketAddress client, InetSocketAddress server, int id) {
            this.client = client;
            this.server = server;
            // Each connection starts elsewhere, because ports may be used again.
            this.clientSequence = (id + 1) * 0x9e3779b1;
            this.serverSequence = (id + 1) * 0x85ebca6b;
        }
    }
}
