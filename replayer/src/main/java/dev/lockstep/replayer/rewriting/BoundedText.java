package dev.lockstep.replayer.rewriting;

/**
 * Text that may be read only so many times: an expression that backtracks without end, on input made for that, is given
 * up and does not hold up an event loop. For one thread.
 */
final class BoundedText implements CharSequence {
    /** Says that the text was read too often; has no stack trace. */
    static final class Exceeded extends RuntimeException {
        private static final long serialVersionUID = 1;

        private static final Exceeded INSTANCE = new Exceeded();

        private Exceeded() {
            super("an expression took too many steps", null, false, false);
        }
    }

    private static final long LEAST_READS = 200_000;
    private static final int READS_PER_CHARACTER = 8;

    private final CharSequence text;
    private final int length;
    private long readsLeft;

    BoundedText(CharSequence text) {
        this.text = text;
        this.length = text.length();
        this.readsLeft = LEAST_READS + (long) length * READS_PER_CHARACTER;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public char charAt(int index) {
        if (--readsLeft < 0) {
            throw Exceeded.INSTANCE;
        }
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.subSequence(start, end);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
