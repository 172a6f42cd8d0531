package dev.lockstep.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.analysis.LaunchRatios;
import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.analysis.Metric;
import dev.lockstep.report.Findings;
import dev.lockstep.report.Report;
import dev.lockstep.report.ReportFormat;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.Output;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.io.IOException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BiConsumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A run's result as one HTML page that needs nothing else: no network, no file beside it. Made of the result, with
 * histograms, and of its intervals, so that a run of yesterday gives the same page. Any thread.
 *
 * <p>What comes from a capture or a target is in the page as JSON in which no markup can end or begin, and is shown as
 * text. The page's policy (CSP) lets run only the scripts that are in it, by their digests, and load nothing.
 */
public final class ReportPage {
    /** Of the percentiles' axis: so many steps each time the distance to 100 % halves. */
    private static final int STEPS = 8;

    private static final double NS_PER_MS = 1e6;

    /** Where the intervals of a run come from. */
    public interface Intervals {
        /** Passes on all intervals with the names of their targets, those of warm-ups included, in order of time. */
        void each(BiConsumer<String, IntervalFigures> figures);
    }

    private final RunResult result;
    private final Intervals intervals;
    private final List<String> flameGraphs;

    private ReportPage(RunResult result, Intervals intervals, List<String> flameGraphs) {
        this.result = result;
        this.intervals = intervals;
        this.flameGraphs = flameGraphs;
    }

    /** @param flameGraphs names of files beside the page */
    public static ReportPage of(RunResult result, Intervals intervals, List<String> flameGraphs) {
        return new ReportPage(result, intervals, List.copyOf(flameGraphs));
    }

    /** Returns the page, to be written as UTF-8. */
    public String html() {
        return PageTemplate.html(
                "Report of a run",
                "report.js",
                data(),
                Report.of(result).with(Output.FULL).as(ReportFormat.TEXT));
    }

    private String data() {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode data = mapper.createObjectNode();
        try {
            data.set("run", mapper.readTree(result.toJson()));
            data.set("text", text());
            data.set("launches", launches());
            data.set("percentiles", percentiles());
            series(data);
            data.set("flameGraphs", texts(flameGraphs));
            return mapper.writeValueAsString(data);
        } catch (IOException e) {
            throw new IllegalStateException("run.json cannot be read back", e);
        }
    }

    private ObjectNode text() {
        Findings findings = Findings.of(result);
        ObjectNode text = JsonNodeFactory.instance.objectNode();
        text.set("status", texts(findings.status()));
        text.put("asked", asked());
        ArrayNode answers = text.putArray("answers");
        findings.answers()
                .forEach(answer ->
                        answers.addObject().put("tone", answer.tone().name()).put("text", answer.text()));
        text.set("odd", texts(findings.odd()));
        text.set("notes", texts(findings.notes()));
        ArrayNode tables = text.putArray("tables");
        for (Findings.Figured figured : findings.tables()) {
            ObjectNode table = tables.addObject().put("caption", figured.caption());
            table.set("headings", texts(figured.headings()));
            ArrayNode rows = table.putArray("rows");
            for (TargetResult target : result.targets()) {
                ObjectNode row = rows.addObject().put("target", target.name());
                row.set("cells", texts(figured.cells(target.name())));
                row.set("ratios", texts(figured.ratios(target.name())));
            }
        }
        return text;
    }

    private Optional<Verdict> primary() {
        return result.verdicts().stream().filter(Verdict::primary).findFirst();
    }

    /** Says which question the run answers. */
    private String asked() {
        Verdict.Question question = primary().map(Verdict::question).orElse(Verdict.Question.STEADY);
        switch (question) {
            case COLD:
                return "Asked: what does a start cost (cold)?";
            case WARMING:
                return "Asked: what does it take until a target is warm (warming)?";
            default:
                return "Asked: what does a warm target cost (steady)?";
        }
    }

    /** Returns the ratio of each launch by the metrics that decide. */
    private ArrayNode launches() {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        Metric beside = primary()
                .flatMap(verdict -> Metric.of(verdict.metric()))
                .map(LaunchVerdicts::beside)
                .orElse(null);
        for (Verdict verdict : result.verdicts()) {
            Metric metric = Metric.of(verdict.metric()).orElse(null);
            if (metric == null || !verdict.primary() && metric != beside) {
                continue;
            }
            TargetResult target = target(verdict.target());
            TargetResult baseline = target(verdict.baseline());
            ArrayNode ratios = JsonNodeFactory.instance.arrayNode();
            for (LaunchResult launch : target.launches()) {
                baseline.launches().stream()
                        .filter(other -> other.launch() == launch.launch())
                        .forEach(other -> {
                            OptionalDouble mine = metric.of(launch);
                            OptionalDouble base = metric.of(other);
                            if (mine.isPresent() && base.orElse(0) > 0) {
                                ratios.addObject()
                                        .put("launch", launch.launch())
                                        .put("ratio", mine.getAsDouble() / base.getAsDouble())
                                        .put(
                                                "leftOut",
                                                !LaunchRatios.of(result).isPair(target, launch, baseline, other));
                            }
                        });
            }
            if (ratios.isEmpty()) {
                continue;
            }
            ObjectNode one = all.addObject()
                    .put("target", verdict.target())
                    .put("baseline", verdict.baseline())
                    .put("metric", verdict.metric())
                    .put("level", verdict.level().orElse(0));
            one.putNull("low").putNull("high");
            if (verdict.interval() != null) {
                one.put("low", verdict.interval().low())
                        .put("high", verdict.interval().high());
            }
            one.set("ratios", ratios);
        }
        return all;
    }

    private TargetResult target(String name) {
        return result.targets().stream()
                .filter(target -> target.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Returns for each target the times below which shares of its answers lie; x is 1 / (1 - share). */
    private ArrayNode percentiles() {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (TargetResult target : result.targets()) {
            ObjectNode one = all.addObject().put("target", target.name());
            ArrayNode x = one.putArray("x");
            ArrayNode y = one.putArray("y");
            target.responseTimeHistogram()
                    .filter(times -> times.getTotalCount() > 0)
                    .ifPresent(times -> {
                        for (HistogramIterationValue value : times.percentiles(STEPS)) {
                            double above = 1 - value.getPercentileLevelIteratedTo() / 100;
                            // The last one is the highest value, at 100 %: drawn where one more request would be.
                            x.add(above > 0 ? 1 / above : last(times));
                            y.add(value.getValueIteratedTo() / NS_PER_MS);
                        }
                    });
        }
        return all;
    }

    private static double last(Histogram times) {
        return Math.max(2, times.getTotalCount());
    }

    private void series(ObjectNode data) {
        Map<String, Stretches> byTarget = new LinkedHashMap<>();
        result.targets().forEach(target -> byTarget.put(target.name(), new Stretches()));
        intervals.each((target, figures) -> byTarget.get(target).add(figures));
        List<Stretches> all = List.copyOf(byTarget.values());
        long fromMs = all.stream().mapToLong(Stretches::firstMs).min().orElse(0);
        long toMs = all.stream().mapToLong(Stretches::lastMs).max().orElse(0);
        ArrayNode series = data.putArray("series");
        all.forEach(stretches -> series.add(stretches.columns(fromMs)));
        data.put("width", all.stream().mapToInt(Stretches::width).max().orElse(1));
        data.putArray("range").add(0).add(Math.max(1, (toMs - fromMs) / 1e3));
        ArrayNode warmUps = data.putArray("warmUps");
        all.stream()
                .flatMap(stretches -> stretches.ranges(fromMs, true).stream())
                .sorted(Comparator.comparingDouble((double[] range) -> range[0]))
                .forEach(range -> warmUps.addArray().add(range[0]).add(range[1]));
        ArrayNode launches = data.putArray("stretches");
        if (!all.isEmpty()) {
            all.get(0)
                    .ranges(fromMs, false)
                    .forEach(range -> launches.addArray().add(range[0]).add(range[1]));
        }
    }

    private static ArrayNode texts(List<String> texts) {
        ArrayNode nodes = JsonNodeFactory.instance.arrayNode();
        texts.forEach(nodes::add);
        return nodes;
    }
}
