package dev.lockstep.packets;

import java.net.InetSocketAddress;

/** Takes the connections that a {@link TcpReassembler} finds; called on its thread. */
@FunctionalInterface
public interface TcpHandler {
    /**
     * Takes a connection, at its first byte or when its handshake is complete, whichever is seen first.
     *
     * @param timeNs the time of the packet that showed it
     * @param alreadyOpen whether its beginning was not seen, so that its first byte may be any
     * @return the handler for its bytes, or null to hear no more of it
     */
    StreamHandler opened(long timeNs, InetSocketAddress client, InetSocketAddress server, boolean alreadyOpen);
}
