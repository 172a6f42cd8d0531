/** Packet files and frames, and the TCP streams that they carry. */
package dev.lockstep.packets;
