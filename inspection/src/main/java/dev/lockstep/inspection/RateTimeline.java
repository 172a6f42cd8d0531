package dev.lockstep.inspection;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Counts requests over time in a fixed number of bins, which become wider as the time goes on. For one thread.
 *
 * <p>A bin of width {@code w} holds the requests of {@code [n w, (n + 1) w)}. When a time lies behind the last bin,
 * each pair of bins becomes one of twice the width, so that memory is fixed and at least half of the bins stay in use.
 */
final class RateTimeline {
    private static final int BINS = 1024;
    private static final int COLUMNS = 60;
    private static final int ROWS = 6;

    private final long[] bins = new long[BINS];
    private long binNs = 1_000_000;
    private long lastNs;

    void add(long timeNs) {
        long at = Math.max(0, timeNs);
        while (at / binNs >= BINS) {
            for (int i = 0; i < BINS; i++) {
                bins[i] = 2 * i < BINS ? bins[2 * i] + bins[2 * i + 1] : 0;
            }
            binNs *= 2;
        }
        bins[(int) (at / binNs)]++;
        lastNs = Math.max(lastNs, at);
    }

    /** How many bins a column of the chart has. */
    private int binsPerColumn() {
        return (int) (lastNs / binNs / COLUMNS) + 1;
    }

    /** The width of a column of the chart. */
    long columnNs() {
        return binNs * binsPerColumn();
    }

    /** The requests per second of each column, up to the last one that has any. */
    List<Double> ratesPerSec() {
        int perColumn = binsPerColumn();
        List<Double> rates = new ArrayList<>();
        for (int from = 0; from <= lastNs / binNs; from += perColumn) {
            long count = 0;
            for (int bin = from; bin < Math.min(BINS, from + perColumn); bin++) {
                count += bins[bin];
            }
            rates.add(count * 1e9 / columnNs());
        }
        return Collections.unmodifiableList(rates);
    }

    /** A chart of the rates, a line of text for each row, the highest rate first. */
    List<String> chart() {
        List<Double> rates = ratesPerSec();
        double highest = rates.isEmpty() ? 0 : Collections.max(rates);
        List<String> lines = new ArrayList<>();
        for (int row = ROWS; row >= 1; row--) {
            StringBuilder line = new StringBuilder(String.format(
                    Locale.ROOT, "%9s |", row == ROWS ? number(highest) : row == 1 ? number(highest / ROWS) : ""));
            for (double rate : rates) {
                // A column with any request shows it.
                double height = highest == 0 ? 0 : rate / highest * ROWS;
                line.append(height > row - 0.5 || row == 1 && rate > 0 ? '#' : ' ');
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    private static String number(double rate) {
        return rate < 0.1
                ? String.format(Locale.ROOT, "%.1f/h", 3600 * rate)
                : String.format(Locale.ROOT, rate < 10 ? "%.2f/s" : "%.0f/s", rate);
    }
}
