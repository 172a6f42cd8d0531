package dev.lockstep.inspection;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * When requests were complete: the rate over time, the busiest second, the longest pause. For one thread, in about 1
 * MB.
 *
 * <p>Time is divided into bins of {@code w} ns; a bin holds the requests of {@code [n w, (n + 1) w)}, and empty bins
 * are not kept. When there are too many, {@code w} doubles. So a pause of years costs no accuracy elsewhere.
 */
final class RequestTimes {
    private static final int MAX_BINS = 1 << 16;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int COLUMNS = 60;
    private static final int MAX_PAUSES = 5;
    /** Fewer requests have no mean interval that a pause could stand out from. */
    private static final int MIN_REQUESTS = 10;
    /** How much longer than the mean interval of the other requests a pause is. */
    private static final int PAUSE_INTERVALS = 20;
    /** A pause is cut out where it would take more than this part of the columns: a quarter. */
    private static final int PAUSE_PART = 4;

    private long[] bins = new long[1024];
    private long[] counts = new long[1024];
    private int size;
    private long binNs = 1_000_000;

    private long requests;
    private long lastNs = -1;
    private long second = -1;
    private long secondCount;

    /** The most requests in one second, counted in whole seconds of the capture's time. */
    long busiestCount;

    /** When that second began, in ns since the capture's start. */
    long busiestNs;

    /** The longest time between two requests, in ns; 0 where there are fewer than two. */
    long longestPauseNs;

    /** When it began, in ns since the capture's start. */
    long longestPauseFromNs;

    /** Counts a request of a time since the capture's start, not before the one counted last. */
    void add(long timeNs) {
        if (lastNs >= 0 && timeNs - lastNs > longestPauseNs) {
            longestPauseNs = timeNs - lastNs;
            longestPauseFromNs = lastNs;
        }
        lastNs = timeNs;
        requests++;
        countSecond(timeNs / SECOND_NS);
        long bin = timeNs / binNs;
        if (size > 0 && bins[size - 1] == bin) {
            counts[size - 1]++;
            return;
        }
        if (size == MAX_BINS) {
            widen();
            bin = timeNs / binNs;
        } else if (size == bins.length) {
            bins = Arrays.copyOf(bins, 2 * size);
            counts = Arrays.copyOf(counts, 2 * size);
        }
        append(bin, 1);
    }

    private void countSecond(long now) {
        secondCount = now == second ? secondCount + 1 : 1;
        second = now;
        if (secondCount > busiestCount) {
            busiestCount = secondCount;
            busiestNs = now * SECOND_NS;
        }
    }

    private void widen() {
        while (size > MAX_BINS / 4 * 3) {
            binNs *= 2;
            int before = size;
            size = 0;
            for (int i = 0; i < before; i++) {
                append(bins[i] / 2, counts[i]);
            }
        }
    }

    private void append(long bin, long count) {
        if (size > 0 && bins[size - 1] == bin) {
            counts[size - 1] += count;
        } else {
            bins[size] = bin;
            counts[size++] = count;
        }
    }

    /** The rate over time in columns of equal width, with long pauses cut out. */
    Rates rates() {
        return new Rates();
    }

    /** Unchanged from when it is made. */
    final class Rates {
        /** The width of a column. */
        final long columnNs;
        /** The requests per second of each column, a mean over its width. */
        final List<Double> perSec = new ArrayList<>();
        /** The pauses that were cut out, in their order. */
        final List<Pause> pauses = new ArrayList<>();

        private Rates() {
            List<Integer> gaps = cutGaps();
            long shownNs = spanNs();
            for (int gap : gaps) {
                shownNs -= gapNs(gap);
            }
            columnNs = Math.max(1, (shownNs / binNs + COLUMNS - 1) / COLUMNS) * binNs;
            int from = 0;
            for (int gap : gaps) {
                columns(from, gap + 1);
                pauses.add(new Pause(perSec.size(), (bins[gap] + 1) * binNs, bins[gap + 1] * binNs));
                from = gap + 1;
            }
            columns(from, size);
        }

        /** Adds the columns of bins that follow each other without a pause. */
        private void columns(int from, int to) {
            int index = from;
            for (long column = 0; index < to; column++) {
                long end = bins[from] + (column + 1) * (columnNs / binNs);
                long count = 0;
                for (; index < to && bins[index] < end; index++) {
                    count += counts[index];
                }
                perSec.add((double) count * SECOND_NS / columnNs);
            }
        }
    }

    /** A time without requests that the columns leave out. */
    static final class Pause {
        /** The column before which it lies. */
        final int beforeColumn;
        /** In ns since the capture's start. */
        final long fromNs;
        /** In ns since the capture's start. */
        final long toNs;

        private Pause(int beforeColumn, long fromNs, long toNs) {
            this.beforeColumn = beforeColumn;
            this.fromNs = fromNs;
            this.toNs = toNs;
        }
    }

    /** From the first bin to the last. */
    private long spanNs() {
        return size == 0 ? 0 : (bins[size - 1] - bins[0] + 1) * binNs;
    }

    private long gapNs(int afterIndex) {
        return (bins[afterIndex + 1] - bins[afterIndex] - 1) * binNs;
    }

    /** The gaps to leave out, by the index of the bin before each, in order: from the longest on, while they crush. */
    private List<Integer> cutGaps() {
        List<Integer> longest = new ArrayList<>();
        for (int i = 0; i + 1 < size; i++) {
            long gap = gapNs(i);
            int at = longest.size();
            while (at > 0 && gapNs(longest.get(at - 1)) < gap) {
                at--;
            }
            if (at < MAX_PAUSES) {
                longest.add(at, i);
            }
            if (longest.size() > MAX_PAUSES) {
                longest.remove(MAX_PAUSES);
            }
        }
        List<Integer> cut = new ArrayList<>();
        if (requests < MIN_REQUESTS) {
            return cut;
        }
        long shownNs = spanNs();
        for (int i : longest) {
            long gap = gapNs(i);
            if (gap * PAUSE_PART <= shownNs
                    || (double) gap * (requests - 1) <= (double) (shownNs - gap) * PAUSE_INTERVALS) {
                break;
            }
            shownNs -= gap;
            cut.add(i);
        }
        cut.sort(null);
        return cut;
    }
}
