package dev.lockstep.packets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Puts IP packets together from their fragments. For the reassembler's thread; memory is bounded, and the oldest packet
 * is given up when there are too many or they hold too much.
 *
 * <p>Where fragments overlap, the one with the lower offset wins. Attackers overlap fragments, networks do not: a
 * packet whose fragments hold twice what a packet can is given up.
 */
final class IpFragments {
    /** The longest IP packet that fragments can carry. */
    private static final int MAX_PACKET_BYTES = 65535;

    private static final int MAX_FRAGMENTS = 8192;
    private static final int MAX_PACKETS = 256;
    /** How much memory the fragments may take. */
    private static final int MAX_HELD_BYTES = 16 << 20;
    /** What a fragment takes beside its bytes: the tree's entry with its key, and the array's header. */
    private static final int FRAGMENT_OVERHEAD_BYTES = 80;

    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    /** In the order in which their first fragment came. */
    private final Map<Key, Parts> packets = new LinkedHashMap<>();

    private long heldBytes;
    private long lostFragments;

    /** Takes a fragment; returns the payload of the packet when it is whole now, else null. */
    ByteBuf add(long nowNs, Frame frame, int id, int offset, boolean more, ByteBuf bytes, int from, int to) {
        forgetOld(nowNs);
        int end = offset + to - from;
        if (end > MAX_PACKET_BYTES || more && (to - from & 7) != 0) {
            lostFragments++;
            return null;
        }
        Key key = new Key(frame, id);
        Parts parts = packets.get(key);
        if (parts == null) {
            if (packets.size() >= MAX_PACKETS) {
                forgetOldest();
            }
            parts = new Parts(nowNs);
            packets.put(key, parts);
        }
        if (parts.byOffset.size() >= MAX_FRAGMENTS) {
            lostFragments++;
            return null;
        }
        byte[] part = new byte[to - from];
        bytes.getBytes(from, part);
        heldBytes -= parts.cost();
        parts.add(offset, part, more ? -1 : end);
        heldBytes += parts.cost();
        byte[] whole = parts.whole();
        if (whole != null) {
            packets.remove(key);
            heldBytes -= parts.cost();
            return Unpooled.wrappedBuffer(whole);
        }
        if (parts.heldBytes > 2 * MAX_PACKET_BYTES) {
            packets.remove(key);
            giveUp(parts);
        }
        while (heldBytes > MAX_HELD_BYTES) {
            forgetOldest();
        }
        return null;
    }

    /** Returns about how much memory the fragments take, in bytes. */
    long heldBytes() {
        return heldBytes;
    }

    /** Returns how many fragments were given up or belong to packets that are not whole yet. */
    long lostFragments() {
        return lostFragments
                + packets.values().stream().mapToLong(parts -> parts.fragments).sum();
    }

    private void forgetOld(long nowNs) {
        for (Iterator<Parts> oldest = packets.values().iterator(); oldest.hasNext(); ) {
            Parts parts = oldest.next();
            if (nowNs - parts.sinceNs < TIMEOUT_NS) {
                return;
            }
            oldest.remove();
            giveUp(parts);
        }
    }

    private void forgetOldest() {
        Iterator<Parts> oldest = packets.values().iterator();
        Parts parts = oldest.next();
        oldest.remove();
        giveUp(parts);
    }

    private void giveUp(Parts parts) {
        heldBytes -= parts.cost();
        lostFragments += parts.fragments;
    }

    private static final class Parts {
        final long sinceNs;
        final TreeMap<Integer, byte[]> byOffset = new TreeMap<>();
        int fragments;
        private int packetBytes = -1;
        private int heldBytes;

        Parts(long sinceNs) {
            this.sinceNs = sinceNs;
        }

        void add(int offset, byte[] part, int end) {
            fragments++;
            if (end >= 0 && packetBytes < 0) {
                packetBytes = end;
            }
            byte[] before = byOffset.get(offset);
            if (before == null || before.length < part.length) {
                heldBytes += part.length - (before == null ? 0 : before.length);
                byOffset.put(offset, part);
            }
        }

        int cost() {
            return heldBytes + FRAGMENT_OVERHEAD_BYTES * byOffset.size();
        }

        /** Returns the packet when all of it is here, else null. */
        byte[] whole() {
            if (packetBytes < 0 || heldBytes < packetBytes) {
                return null;
            }
            byte[] whole = new byte[packetBytes];
            int filled = 0;
            for (Map.Entry<Integer, byte[]> part : byOffset.entrySet()) {
                int offset = part.getKey();
                if (offset > filled) {
                    return null;
                }
                int length = Math.min(part.getValue().length, packetBytes - offset);
                if (offset + length > filled) {
                    System.arraycopy(part.getValue(), filled - offset, whole, filled, offset + length - filled);
                    filled = offset + length;
                }
            }
            return filled == packetBytes ? whole : null;
        }
    }

    private static final class Key {
        private final long[] words;

        Key(Frame frame, int id) {
            words = new long[] {
                frame.sourceHigh,
                frame.sourceLow,
                frame.destinationHigh,
                frame.destinationLow,
                (frame.ipv6 ? 1L << 32 : 0) | id & 0xffffffffL
            };
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key && Arrays.equals(words, ((Key) other).words);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(words);
        }
    }
}
