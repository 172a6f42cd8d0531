package dev.lockstep.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.report.ComparisonReport;
import dev.lockstep.report.HistoryReport;
import dev.lockstep.report.MetricColumn;
import dev.lockstep.results.comparison.ComparedRun;
import dev.lockstep.results.comparison.RunComparison;
import dev.lockstep.results.comparison.RunHistory;
import dev.lockstep.results.comparison.RunVerdict;
import dev.lockstep.results.json.Json;
import java.util.List;
import java.util.stream.Collectors;

/** Runs beside each other, or over time, as one HTML page that needs nothing else, as {@link ReportPage}. */
public final class ComparisonPage {
    private final String title;
    private final ObjectNode data;
    private final String text;

    private ComparisonPage(String title, ObjectNode data, String text) {
        this.title = title;
        this.data = data;
        this.text = text;
    }

    /** Returns the page of a few runs. */
    public static ComparisonPage of(RunComparison comparison) {
        ComparisonReport report = ComparisonReport.of(comparison);
        ObjectNode data = JsonNodeFactory.instance.objectNode().set("result", Json.tree(comparison));
        ObjectNode text = data.putObject("text");
        text.set("outcome", ResultData.sentence(report.outcome()));
        text.set("banner", ResultData.texts(report.banner()));
        text.set("answers", ResultData.sentences(report.answers()));
        text.set("differences", ResultData.texts(report.differences()));
        text.put("distrust", report.distrust());
        text.set("began", began(comparison.runs()));
        ArrayNode rows = text.putArray("verdicts");
        comparison.verdicts().forEach(verdict -> rows.add(ResultData.texts(report.cells(verdict))));
        ObjectNode columns = data.putObject("columns");
        comparison.verdicts().stream().map(RunVerdict::metric).forEach(metric -> column(columns, metric));
        return new ComparisonPage("Runs compared", data, report.text());
    }

    /** Returns the page of many runs over time. */
    public static ComparisonPage of(RunHistory history) {
        HistoryReport report = HistoryReport.of(history);
        ObjectNode data = JsonNodeFactory.instance.objectNode().set("result", Json.tree(history));
        ObjectNode text = data.putObject("text");
        text.set("outcome", ResultData.sentence(report.outcome()));
        text.set("banner", ResultData.texts(List.of()));
        text.set("answers", ResultData.sentences(report.answers()));
        text.set("notes", ResultData.texts(report.notes()));
        text.set("headings", ResultData.texts(HistoryReport.headings()));
        text.put("legend", HistoryReport.legend());
        ArrayNode groups = text.putArray("groups");
        ObjectNode columns = data.putObject("columns");
        for (RunHistory.Group group : history.groups()) {
            ObjectNode one = groups.addObject().put("title", HistoryReport.title(group));
            ArrayNode rows = one.putArray("rows");
            one.set("began", began(group.runs()));
            one.set("leftOut", ResultData.texts(HistoryReport.leftOut(group)));
            ArrayNode changes = one.putArray("changes");
            for (RunHistory.Series series : group.series()) {
                rows.add(ResultData.texts(HistoryReport.cells(group, series)).insert(0, series.target()));
                ArrayNode ofSeries = changes.addArray();
                series.changes().forEach(change -> ofSeries.add(HistoryReport.change(group, series, change)));
                column(columns, series.metric());
            }
        }
        return new ComparisonPage("Runs over time", data, report.text());
    }

    /** Returns the page, to be written as UTF-8. */
    public String html() {
        return Template.of("comparison", data.toString())
                .with("title", Template.escaped(title))
                .with("text", Template.escaped(text))
                .html();
    }

    private static void column(ObjectNode columns, String metric) {
        MetricColumn column = MetricColumn.of(metric);
        columns.putObject(metric)
                .put("label", column.label())
                .put("heading", column.shortLabel())
                .put("unit", column.unit())
                .put("size", column.size());
    }

    /** Returns when each run began. */
    private static ArrayNode began(List<ComparedRun> runs) {
        return ResultData.texts(runs.stream().map(ComparisonReport::began).collect(Collectors.toList()));
    }
}
