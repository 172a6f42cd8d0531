package dev.lockstep.capture;

/** Where the blocks of records of a capture lie in its memory, outside the heap. Filled by one thread, read by any. */
final class BlockTable {
    private static final int ENTRY_BYTES = 32;
    private static final int ADDRESS = 0;
    private static final int BASE_NS = 8;
    private static final int NUMBERS = 16;
    private static final int LENGTH = 24;

    /** Stands where the numbers of connections in the segment are those of the capture. */
    private static final long SAME = -1;

    private final FlatTable table;
    /** The capture's numbers of the connections of each segment behind the first one. */
    private final FlatTable numbers;

    private int segment = -1;
    private long segmentNumbers = SAME;

    BlockTable(FlatMemory memory) {
        table = new FlatTable(memory, ENTRY_BYTES);
        numbers = new FlatTable(memory, Integer.BYTES);
    }

    /** Adds the block at whose first record a cursor stands. */
    void add(RecordCursor cursor) {
        enter(cursor);
        long block = table.add();
        table.putLong(block, ADDRESS, cursor.address());
        table.putLong(block, BASE_NS, cursor.baseNs());
        table.putLong(block, NUMBERS, segmentNumbers);
        table.putInt(block, LENGTH, cursor.blockLength());
    }

    private void enter(RecordCursor cursor) {
        if (segment < 0) {
            segment = cursor.identity().segment();
        } else if (segment != cursor.identity().segment()) {
            segment = cursor.identity().segment();
            segmentNumbers = numbers.size();
        }
    }

    /** Notes the capture's number of the connection that begins next in this segment. */
    void opened(int number) {
        if (segmentNumbers != SAME) {
            numbers.putInt(numbers.add(), 0, number);
        }
    }

    long size() {
        return table.size();
    }

    /** Returns the address of a block's first record. */
    long address(long block) {
        return table.getLong(block, ADDRESS);
    }

    long baseNs(long block) {
        return table.getLong(block, BASE_NS);
    }

    /** Returns the length of a block's records. */
    int length(long block) {
        return table.getInt(block, LENGTH);
    }

    /** Returns the capture's number of a connection that has a number in a block. */
    int connection(long block, int number) {
        long from = table.getLong(block, NUMBERS);
        return from == SAME || number == CaptureFormat.NO_CONNECTION ? number : numbers.getInt(from + number, 0);
    }
}
