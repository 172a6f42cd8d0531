/**
 * Packet files, frames, and the TCP streams that they carry.
 *
 * <p>{@link dev.lockstep.packets.PacketFile} reads pcap and pcapng; {@code Frame} finds the TCP segment in a packet;
 * {@link dev.lockstep.packets.TcpReassembler} puts streams together and hands them to a
 * {@link dev.lockstep.packets.StreamHandler}. {@code docs/packets.md} has the rules. This package knows Netty's buffers
 * and no other module: not what the streams mean, and not where packets come from.
 */
package dev.lockstep.packets;
