package dev.lockstep.tap;

import dev.lockstep.capture.CloseReason;
import dev.lockstep.packets.StreamHandler;
import dev.lockstep.packets.TcpEnd;
import io.netty.buffer.ByteBuf;

/** Records the streams of one TCP connection that is put together from packets. Used by the reassembler's thread. */
public final class PacketConnection implements StreamHandler {
    private final RecordedConnection recorded;

    /** Closes the connection at its end. */
    public PacketConnection(RecordedConnection recorded) {
        this.recorded = recorded;
    }

    @Override
    public void clientBytes(long timeNs, ByteBuf bytes, int from, int to) {
        recorded.clientBytes(timeNs, bytes, from, to);
    }

    @Override
    public void serverBytes(long timeNs, ByteBuf bytes, int from, int to) {
        recorded.serverBytes(timeNs, bytes, from, to);
    }

    @Override
    public void clientMissing(long timeNs, long bytes) {
        recorded.clientBytesMissing(timeNs, bytes);
    }

    @Override
    public void serverMissing(long timeNs, long bytes) {
        recorded.serverBytesMissing(timeNs, bytes);
    }

    @Override
    public void clientEnded(long timeNs) {
        recorded.clientEnded(timeNs);
    }

    @Override
    public void serverEnded(long timeNs) {
        // The capture has only the client's side.
    }

    @Override
    public void closed(long timeNs, TcpEnd end) {
        recorded.close(timeNs, reason(end));
    }

    private static CloseReason reason(TcpEnd end) {
        switch (end) {
            case CLIENT_FIN:
                return CloseReason.CLIENT_FIN;
            case SERVER_FIN:
                return CloseReason.SERVER_FIN;
            case CLIENT_RESET:
                return CloseReason.CLIENT_RESET;
            case SERVER_RESET:
                return CloseReason.SERVER_RESET;
            case TIMEOUT:
                return CloseReason.TIMEOUT;
            case PACKETS_ENDED:
                return CloseReason.RECORDING_ENDED;
            case REPLACED:
            default:
                return CloseReason.UNKNOWN; // its own end was not seen
        }
    }
}
