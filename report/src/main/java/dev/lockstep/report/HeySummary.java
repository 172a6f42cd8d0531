package dev.lockstep.report;

import static dev.lockstep.report.Figures.format;

import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.results.TargetResult;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * One target's figures in the layout of hey 0.1.4 (github.com/rakyll/hey, requester/print.go), character for character,
 * so that eyes and scripts that know hey's output read this. Latency is the response time.
 *
 * <p>Where hey's figures would mislead, ours differ in the same layout: without any answer hey prints 0 and NaN, here
 * stands "-"; a percentile that it did not reach hey prints as {@code 0% in 0.0000 secs}, here the line is left out;
 * hey's percentiles are of the answers, ours of all requests, those without an answer being the slowest, so that one of
 * them is "at least" something; of a target that died a line says so; hey's rate counts failed requests, ours only
 * answers. "Details" has the two times that are measured here: addresses are looked up once and not per request, and
 * the arrival of an answer's first byte is not stamped.
 */
final class HeySummary {
    private static final int STEPS = 10;
    private static final int BAR_LENGTH = 40;
    private static final String AT_LEAST = "at least ";
    private static final String BAR = "\u25A0";
    private static final double NS_PER_SEC = 1e9;

    private static final List<Integer> PERCENTAGES = List.of(10, 25, 50, 75, 90, 95, 99);

    private final StringBuilder out = new StringBuilder();

    private HeySummary() {}

    /** Returns the summary, starting with the empty line that hey starts with; of a target that got load. */
    static String of(TargetResult target) {
        HeySummary summary = new HeySummary();
        summary.append(
                target, target.counts().orElseThrow(), target.responseTime().orElseThrow());
        return summary.out.toString();
    }

    private void append(TargetResult target, LoadCounts counts, Percentiles responseTime) {
        boolean answered = responseTime.count() > 0;
        out.append("\nSummary:\n");
        line("Total", seconds(target.measuredNs().orElseThrow()));
        line("Slowest", answered ? slowest(responseTime) : Figures.ABSENT);
        line("Fastest", answered ? seconds(responseTime.min()) : Figures.ABSENT);
        line("Average", answered ? seconds(responseTime.mean()) : Figures.ABSENT);
        line(
                "Requests/sec",
                // Oneway calls are complete without an answer and its time.
                counts.completed > 0 && target.throughputPerSec().isPresent()
                        ? format("%.4f", target.throughputPerSec().getAsDouble())
                        : Figures.ABSENT);
        // Two spaces: hey's template leaves them before its conditional block.
        out.append("  \n");
        if (counts.bodyBytesReceived > 0 && counts.completed > 0) {
            line("Total data", counts.bodyBytesReceived + " bytes");
            line("Size/request", counts.bodyBytesReceived / counts.completed + " bytes");
        }

        out.append("\nResponse time histogram:\n");
        Optional<Histogram> histogram = target.responseTimeHistogram();
        if (answered) {
            histogram.ifPresent(this::bars);
        }
        out.append("\n\nLatency distribution:\n");
        if (answered) {
            latencies(histogram, responseTime);
            if (target.exit().isPresent() && responseTime.withoutAnswer() > 0) {
                out.append("  (percentiles count the ")
                        .append(responseTime.withoutAnswer())
                        .append(" without an answer; average and histogram do not)\n");
            }
        }
        out.append("\nDetails (average, fastest, slowest):\n");
        details("service time", target.serviceTime().orElseThrow());
        details("generator lag", target.generatorLag().orElseThrow());
        out.append("\nStatus code distribution:\n");
        counts.statusCodes().forEach((code, count) -> out.append(format("  [%d]\t%d responses\n", code, count)));
        if (counts.withoutAnswer() > 0) {
            out.append("\nError distribution:\n");
            counts.errorsByKind().forEach((kind, count) -> error(count, kind.key()));
            error(counts.unanswered, FailureTable.UNANSWERED);
            error(counts.unsent, FailureTable.NOT_SENT);
        }
    }

    private void error(long count, String kind) {
        if (count > 0) {
            out.append(format("  [%d]\t%s\n", count, kind));
        }
    }

    private void line(String name, String value) {
        out.append("  ").append(name).append(":\t").append(value).append('\n');
    }

    /**
     * Draws hey's eleven rows: ten equal steps from the fastest to the slowest answer, a row counts the answers above
     * the mark before it and up to its own. The longest bar has 40 characters.
     */
    private void bars(Histogram histogram) {
        double fastest = histogram.getMinValue();
        double slowest = histogram.getMaxValue();
        double[] marks = new double[STEPS + 1];
        for (int i = 0; i < STEPS; i++) {
            marks[i] = fastest + (slowest - fastest) / STEPS * i;
        }
        marks[STEPS] = slowest;
        long[] counts = new long[STEPS + 1];
        int row = 0;
        for (HistogramIterationValue value : histogram.recordedValues()) {
            // The lower end of the value's range, so that the fastest answer is in the first row as with hey.
            long least = histogram.lowestEquivalentValue(value.getValueIteratedTo());
            while (row < STEPS && least > marks[row]) {
                row++;
            }
            counts[row] += value.getCountAddedInThisIterationStep();
        }
        long most = 1;
        for (long count : counts) {
            most = Math.max(most, count);
        }
        for (int i = 0; i <= STEPS; i++) {
            int length = (int) ((counts[i] * BAR_LENGTH + most / 2) / most);
            out.append(format("  %.3f [%d]\t|%s\n", marks[i] / NS_PER_SEC, counts[i], BAR.repeat(length)));
        }
    }

    private void latencies(Optional<Histogram> histogram, Percentiles responseTime) {
        for (int percentage : PERCENTAGES) {
            Optional<Level> level = Arrays.stream(Level.values())
                    .filter(one -> one.key().equals("p" + percentage))
                    .findFirst();
            OptionalLong ns = histogram.isPresent()
                    ? responseTime.of(percentage, histogram.get())
                    : level.filter(responseTime::stands)
                            .map(responseTime::at)
                            .map(OptionalLong::of)
                            .orElse(OptionalLong.empty());
            if (ns.isPresent()) {
                latency(percentage, "", ns.getAsLong());
            } else if (level.isPresent()) {
                latency(percentage, AT_LEAST, responseTime.at(level.get()));
            } else if (histogram.isPresent()) {
                latency(percentage, AT_LEAST, histogram.get().getMaxValue());
            }
        }
    }

    private void latency(int percentage, String bound, long ns) {
        if (ns > 0) {
            out.append("  ")
                    .append(percentage)
                    .append("% in ")
                    .append(bound)
                    .append(seconds(ns))
                    .append('\n');
        }
    }

    private void details(String name, Percentiles times) {
        line(
                name,
                times.count() == 0
                        ? Figures.ABSENT
                        : seconds(times.mean()) + ", " + seconds(times.min()) + ", " + slowest(times));
    }

    private static String slowest(Percentiles times) {
        return (times.withoutAnswer() > 0 ? AT_LEAST : "") + seconds(times.max());
    }

    private static String seconds(long ns) {
        return format("%.4f secs", ns / NS_PER_SEC);
    }
}
