package dev.lockstep.page;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.report.Report;
import dev.lockstep.report.ReportFormat;
import dev.lockstep.results.AnswerPair;
import dev.lockstep.results.HotMethods;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.Output;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.json.Json;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.ObjLongConsumer;
import java.util.stream.Collectors;

/**
 * A run's result as one HTML page that needs nothing else: no network, no file beside it. Made of the result, with
 * histograms, and of its intervals, so that a run of yesterday gives the same page. Any thread.
 *
 * <p>What comes from a capture or a target is in the page as JSON in which no markup can end or begin, and is shown as
 * text. The page's policy (CSP) lets run only the scripts that are in it, by their digests, and load nothing.
 */
public final class ReportPage {
    /** Where the intervals of a run come from. */
    public interface Intervals {
        /** Passes on all intervals with the names of their targets, those of warm-ups included, in order of time. */
        void each(BiConsumer<String, IntervalFigures> figures);
    }

    /** Where the stacks of profiles come from. */
    public interface Stacks {
        /** Passes on the stacks of a target with their samples, from the root on, marked as in {@code .collapsed}. */
        void each(String target, ObjLongConsumer<List<String>> stack);
    }

    private final RunResult result;
    private final Intervals intervals;
    private final List<String> flameGraphs;
    private final Map<String, List<AnswerPair>> answers;
    private final Stacks stacks;

    private ReportPage(
            RunResult result,
            Intervals intervals,
            List<String> flameGraphs,
            Map<String, List<AnswerPair>> answers,
            Stacks stacks) {
        this.result = result;
        this.intervals = intervals;
        this.flameGraphs = flameGraphs;
        this.answers = answers;
        this.stacks = stacks;
    }

    /** @param flameGraphs names of files beside the page */
    public static ReportPage of(RunResult result, Intervals intervals, List<String> flameGraphs) {
        return new ReportPage(result, intervals, List.copyOf(flameGraphs), Map.of(), (target, stack) -> {});
    }

    /** @param pairs what targets answered otherwise than the baseline, by their names */
    public ReportPage withAnswers(Map<String, List<AnswerPair>> pairs) {
        return new ReportPage(result, intervals, flameGraphs, pairs, stacks);
    }

    /** Shows flame graphs of the targets that were profiled. */
    public ReportPage withStacks(Stacks stacks) {
        return new ReportPage(result, intervals, flameGraphs, answers, stacks);
    }

    /** Returns the page, to be written as UTF-8. */
    public String html() {
        String text = Report.of(result).with(Output.FULL).as(ReportFormat.TEXT);
        return Template.of("report", data(), Template.HIERARCHY, "flames.js")
                .with("text", Template.escaped(text))
                .html();
    }

    private String data() {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.set("run", Json.tree(result));
        ResultData shown = new ResultData(result);
        data.set("text", shown.text());
        data.set("launches", shown.launches());
        data.set("percentiles", shown.percentiles());
        Timeline timeline = new Timeline(
                result.targets().stream().map(TargetResult::name).collect(Collectors.toList()), Stretches::new);
        intervals.each(timeline::add);
        data.setAll(timeline.frame());
        data.set("series", timeline.series());
        data.set("deaths", shown.deaths(timeline));
        ObjectNode bodies = data.putObject("bodies");
        answers.forEach((target, pairs) -> pairs.stream().map(Json::tree).forEach(bodies.withArray(target)::add));
        data.set("flameGraphs", ResultData.texts(flameGraphs));
        data.set("flames", flames());
        return data.toString();
    }

    /** Returns the stacks of each target that was profiled and has them. */
    private ObjectNode flames() {
        ObjectNode flames = JsonNodeFactory.instance.objectNode();
        for (HotMethods.Target target :
                result.hotMethods().map(HotMethods::targets).orElse(List.of())) {
            if (target.absentReason().isEmpty()) {
                FlameTree tree = new FlameTree();
                stacks.each(target.name(), tree::add);
                if (!tree.isEmpty()) {
                    flames.set(target.name(), tree.columns());
                }
            }
        }
        return flames;
    }
}
