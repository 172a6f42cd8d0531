package dev.lockstep.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.analysis.ConfidenceInterval;
import dev.lockstep.analysis.LaunchRatios;
import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.analysis.Metric;
import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.report.ComparisonTable;
import dev.lockstep.report.Findings;
import dev.lockstep.report.HotMethodRows;
import dev.lockstep.report.MetricColumn;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** What a page shows of a result, of a whole run or of the launches done. Any thread. */
final class ResultData {
    /** Of the percentiles' axis: so many steps each time the distance to 100 % halves. */
    private static final int STEPS = 8;

    private static final double NS_PER_MS = 1e6;
    /** Two places on the percentiles' axis that look like one. */
    private static final double HAIR = 1.0001;
    /** Two that do not. */
    private static final double SEEN = 1.5;
    /** Rows of the table of hot methods. */
    private static final int HOT_METHODS = 40;

    private final RunResult result;

    /** @param result with verdicts where it has any, and with histograms */
    ResultData(RunResult result) {
        this.result = result;
    }

    /** Returns its sentences and tables. */
    ObjectNode text() {
        Findings findings = Findings.of(result);
        ObjectNode text = JsonNodeFactory.instance.objectNode();
        text.put("began", findings.began()).put("machine", findings.machine());
        ObjectNode were = text.putObject("targets");
        result.targets().forEach(target -> were.put(target.name(), findings.target(target.name())));
        text.set("outcome", sentence(findings.outcome()));
        text.set("status", texts(findings.status()));
        text.put("asked", asked());
        text.set("answers", sentences(findings.answers()));
        text.set("odd", texts(findings.odd()));
        text.set("notes", texts(findings.notes()));
        text.set("trends", texts(findings.trends()));
        findings.hotMethods().ifPresent(hot -> text.set("hotMethods", hotMethods(hot)));
        ArrayNode tables = text.putArray("tables");
        for (ComparisonTable one : findings.tables()) {
            ObjectNode table = tables.addObject()
                    .put("caption", one.title())
                    .put("warning", one.warning())
                    .put("spoilt", one.isSpoilt())
                    .put("heading", one.heading());
            table.set("headings", texts(one.headings()));
            table.set("remarks", texts(one.remarks()));
            ArrayNode rows = table.putArray("rows");
            for (TargetResult target : result.targets()) {
                ObjectNode row = rows.addObject().put("target", one.label(target.name()));
                row.set("cells", texts(one.cells(target.name())));
                row.set("ratios", texts(one.ratios(target.name())));
            }
        }
        return text;
    }

    static ArrayNode sentences(List<Findings.Sentence> sentences) {
        ArrayNode nodes = JsonNodeFactory.instance.arrayNode();
        sentences.forEach(one -> nodes.add(sentence(one)));
        return nodes;
    }

    static ObjectNode sentence(Findings.Sentence sentence) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("tone", sentence.tone().name())
                .put("text", sentence.text());
    }

    private ObjectNode hotMethods(HotMethodRows hot) {
        ObjectNode methods = JsonNodeFactory.instance.objectNode();
        ObjectNode targets = methods.putObject("targets");
        result.targets().forEach(target -> targets.put(target.name(), hot.target(target.name())));
        methods.set("headings", texts(hot.headings()));
        ArrayNode rows = methods.putArray("rows");
        hot.rows(HOT_METHODS)
                .forEach(
                        row -> rows.add(texts(row.cells()).insert(0, row.kind()).insert(0, row.name())));
        methods.put("more", hot.more(HOT_METHODS)).put("legend", hot.legend());
        methods.set("lists", texts(hot.lists()));
        return methods;
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
    ArrayNode launches() {
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
            TargetResult target = result.target(verdict.target()).orElseThrow();
            TargetResult baseline = result.target(verdict.baseline()).orElseThrow();
            ArrayNode ratios = JsonNodeFactory.instance.arrayNode();
            ArrayNode died = JsonNodeFactory.instance.arrayNode();
            // Errors before a death are errors too.
            boolean ofDeaths = metric == Metric.ERRORS;
            for (LaunchResult launch : target.launches()) {
                baseline.launches().stream()
                        .filter(other -> other.launch() == launch.launch())
                        .forEach(other -> {
                            if (!ofDeaths
                                    && (launch.exit().isPresent()
                                            || other.exit().isPresent())) {
                                died.add(whoDied(target, launch, baseline, other));
                                return;
                            }
                            OptionalDouble mine = metric.of(launch);
                            OptionalDouble base = metric.of(other);
                            if (mine.isPresent() && base.orElse(0) > 0) {
                                boolean cut = launch.launch() > result.launchesThatCount();
                                ratios.addObject()
                                        .put("launch", launch.launch())
                                        .put("ratio", mine.getAsDouble() / base.getAsDouble())
                                        .put("cut", cut)
                                        .put(
                                                "leftOut",
                                                cut
                                                        || !ofDeaths
                                                                && !LaunchRatios.of(result)
                                                                        .isPair(target, launch, baseline, other));
                            }
                        });
            }
            if (ratios.isEmpty() && died.isEmpty()) {
                continue;
            }
            ObjectNode one = all.addObject()
                    .put("target", verdict.target())
                    .put("baseline", verdict.baseline())
                    .put("label", MetricColumn.of(verdict.metric()).label())
                    // A file of version 0.1.0 does not say it.
                    .put("level", ConfidenceInterval.shown(verdict.level().orElse(ConfidenceInterval.USUAL_LEVEL)));
            one.putNull("low").putNull("high");
            if (verdict.interval() != null) {
                one.put("low", verdict.interval().low());
                // JSON has no infinity: what nothing bounds stays null.
                if (Double.isFinite(verdict.interval().high())) {
                    one.put("high", verdict.interval().high());
                }
            }
            one.set("ratios", ratios);
            one.set("died", died);
        }
        return all;
    }

    /** Returns "c2 died in launch 1". */
    private String whoDied(
            TargetResult target, LaunchResult launch, TargetResult baseline, LaunchResult baselineLaunch) {
        List<String> names = new ArrayList<>();
        if (launch.exit().isPresent()) {
            names.add(target.name());
        }
        if (baselineLaunch.exit().isPresent()) {
            names.add(baseline.name());
        }
        return String.join(" and ", names) + " died in " + result.plan().unit() + " " + launch.launch();
    }

    /**
     * Returns for each target the times below which shares of its requests lie; x is 1 / (1 - share). Where requests
     * have no answer the line ends with the last answer, and {@code atLeast} goes on with the least that the rest can
     * be.
     */
    ArrayNode percentiles() {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (TargetResult target : result.targets()) {
            ObjectNode one = all.addObject().put("target", target.name());
            ArrayNode x = one.putArray("x");
            ArrayNode y = one.putArray("y");
            target.responseTimeHistogram()
                    .filter(times -> times.getTotalCount() > 0)
                    .ifPresent(times -> {
                        long answers = times.getTotalCount();
                        long withoutAnswer = target.responseTime()
                                .map(Percentiles::withoutAnswer)
                                .orElse(0L);
                        double requests = answers + withoutAnswer;
                        for (HistogramIterationValue value : times.percentiles(STEPS)) {
                            double above = 1 - value.getPercentileLevelIteratedTo() / 100 * answers / requests;
                            // The last one is the highest value, at 100 %: drawn where one more request would be.
                            x.add(above > 0 ? 1 / above : Math.max(2, requests));
                            y.add(value.getValueIteratedTo() / NS_PER_MS);
                        }
                        if (withoutAnswer > 0) {
                            one.set("atLeast", atLeast(target, times, requests / withoutAnswer, requests));
                        }
                    });
        }
        return all;
    }

    /** @param from where the answers end; to the place of the last request */
    private static ObjectNode atLeast(TargetResult target, Histogram times, double from, double to) {
        ObjectNode bound = JsonNodeFactory.instance.objectNode();
        ArrayNode x = bound.putArray("x").add(from);
        double longest = times.getMaxValue() / NS_PER_MS;
        ArrayNode y = bound.putArray("y").add(longest);
        // Those that were given up come last, and took at least the time allowed.
        long givenUp = target.counts().orElseThrow().errors(ErrorKind.READ_TIMEOUT);
        double most = target.responseTime().orElseThrow().max() / NS_PER_MS;
        if (givenUp > 0 && most > longest) {
            double step = Math.max(from, to / givenUp);
            if (step > from) {
                x.add(step);
                y.add(longest);
            }
            x.add(step * HAIR);
            y.add(most);
        }
        // Seen, even where only the last request has none.
        x.add(Math.max(to, from * SEEN));
        y.add(Math.max(longest, most));
        return bound;
    }

    /** Returns when targets died: of which target, and in seconds from the start of the plots over time. */
    ArrayNode deaths(Timeline timeline) {
        ArrayNode deaths = JsonNodeFactory.instance.arrayNode();
        for (TargetResult target : result.targets()) {
            Stream<TargetExit> exits = target.launches().isEmpty()
                    ? target.exit().stream()
                    : target.launches().stream().flatMap(launch -> launch.exit().stream());
            exits.flatMapToLong(exit -> exit.atMs().stream())
                    .filter(timeline::isWithin)
                    .forEach(atMs -> deaths.addObject()
                            .put("target", target.name())
                            .put("at", (atMs - timeline.fromMs()) / 1e3));
        }
        return deaths;
    }

    static ArrayNode texts(List<String> texts) {
        ArrayNode nodes = JsonNodeFactory.instance.arrayNode();
        texts.forEach(nodes::add);
        return nodes;
    }
}
