package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureOptions;
import java.util.ArrayDeque;

/**
 * The blocks of a {@code CaptureWriter}: those that wait to be written, and memory for more of them. Under the writer's
 * lock.
 */
final class BlockQueue {
    private final int blockBytes;
    private final ArrayDeque<Block> full = new ArrayDeque<>();
    private final ArrayDeque<Block> free = new ArrayDeque<>();
    private int maxBlocks;
    private int blocksInMemory;

    BlockQueue(CaptureOptions options) {
        this.blockBytes = options.blockBytes();
        this.maxBlocks = (int) Math.min(Integer.MAX_VALUE, options.memoryBytes() / blockBytes);
    }

    /** Returns an unused block, or null when the bound, or what the JVM gives, is reached. */
    Block take() {
        return take(maxBlocks);
    }

    /** Returns an unused block even beyond the bound, or null when the JVM gives no more. */
    Block takeBeyondBound() {
        return take(Integer.MAX_VALUE);
    }

    private Block take(int atMost) {
        if (!free.isEmpty()) {
            return free.pop();
        }
        if (blocksInMemory >= atMost) {
            return null;
        }
        try {
            Block block = new Block(blockBytes);
            blocksInMemory++;
            return block;
        } catch (OutOfMemoryError e) {
            maxBlocks = Math.min(maxBlocks, blocksInMemory); // no direct memory left: as if the bound were lower
            return null;
        }
    }

    /** Takes back a block that was written. */
    void giveBack(Block block) {
        if (blocksInMemory > maxBlocks) {
            blocksInMemory--; // one that was taken beyond the bound
        } else {
            free.push(block);
        }
    }

    /** Forgets the unused blocks, since nothing will be written any more. */
    void dropUnused() {
        free.clear();
    }

    /** Whether what is left is kept for the connections that are open already. */
    boolean isScarce() {
        return maxBlocks - blocksInMemory + free.size() < maxBlocks / 4;
    }

    boolean isExhausted() {
        return free.isEmpty() && blocksInMemory >= maxBlocks;
    }

    /** Whether there is a block at all, so that one can be given back. */
    boolean hasBlocks() {
        return blocksInMemory > 0;
    }

    void add(Block block) {
        full.add(block);
    }

    /** Returns the next block to write, or null. */
    Block poll() {
        return full.poll();
    }
}
