package dev.lockstep.protocol;

/**
 * Recognises the few words that steer HTTP/1 framing, one byte at a time: four trees of prefixes, in one flat table.
 * Immutable; runs per byte.
 *
 * <p>A node stands for a prefix that was read. {@link #NONE} stands for whatever begins no word, and leads nowhere.
 */
final class FramingWords {
    /** The node of a prefix that begins no word. */
    static final int NONE = 0;

    // Where each tree begins.
    static final int METHODS = 1;
    static final int HEADERS = 2;
    static final int CODINGS = 3;
    static final int OPTIONS = 4;

    // The words, as bits of a set.
    static final int CONNECT = 1;
    static final int PRI = 1 << 1;
    static final int CONTENT_LENGTH = 1 << 2;
    static final int TRANSFER_ENCODING = 1 << 3;
    static final int CONNECTION = 1 << 4;
    static final int UPGRADE = 1 << 5;
    static final int CHUNKED = 1 << 6;
    static final int CLOSE = 1 << 7;
    static final int KEEP_ALIVE = 1 << 8;
    static final int GET = 1 << 9;
    static final int HEAD = 1 << 10;

    private static final int ASCII = 128;
    private static final int MAX_NODES = 96;

    private static final byte[] NEXT = new byte[MAX_NODES * ASCII];
    private static final short[] WORD = new short[MAX_NODES];

    static {
        int nodes = OPTIONS + 1;
        nodes = add(nodes, METHODS, "CONNECT", CONNECT);
        nodes = add(nodes, METHODS, "PRI", PRI);
        nodes = add(nodes, METHODS, "GET", GET);
        nodes = add(nodes, METHODS, "HEAD", HEAD);
        nodes = add(nodes, HEADERS, "content-length", CONTENT_LENGTH);
        nodes = add(nodes, HEADERS, "transfer-encoding", TRANSFER_ENCODING);
        nodes = add(nodes, HEADERS, "connection", CONNECTION);
        nodes = add(nodes, HEADERS, "upgrade", UPGRADE);
        nodes = add(nodes, CODINGS, "chunked", CHUNKED);
        nodes = add(nodes, OPTIONS, "close", CLOSE);
        add(nodes, OPTIONS, "keep-alive", KEEP_ALIVE);
    }

    private FramingWords() {}

    /** Returns the node for a prefix and one more byte. Only the words written in capitals depend on the case. */
    static int next(int node, byte b) {
        return b < 0 ? NONE : NEXT[node * ASCII + b];
    }

    /** Returns the word that was read to its end, or 0. */
    static int word(int node) {
        return WORD[node];
    }

    /** Adds a word to a tree and returns the number of nodes. */
    private static int add(int nodes, int tree, String text, int word) {
        int count = nodes;
        int node = tree;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (NEXT[node * ASCII + c] == NONE) {
                NEXT[node * ASCII + c] = (byte) count;
                if (tree != METHODS) {
                    NEXT[node * ASCII + Character.toUpperCase(c)] = (byte) count;
                }
                count++;
            }
            node = NEXT[node * ASCII + c];
        }
        WORD[node] = (short) word;
        return count;
    }
}
