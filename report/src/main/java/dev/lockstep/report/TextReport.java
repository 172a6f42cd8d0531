package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.measurement.Pace;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.measurement.SelfReport;
import dev.lockstep.measurement.Skew;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.math.BigDecimal;
import java.util.List;

/** The report for people: whether the run is valid, what was replayed, each target, all targets, and the fine print. */
final class TextReport {
    private final RunResult result;
    private final StringBuilder out = new StringBuilder();

    TextReport(RunResult result) {
        this.result = result;
    }

    @Override
    public String toString() {
        out.setLength(0);
        Headlines headlines = new Headlines(result);
        headlines.deaths().forEach(this::wrapped);
        headlines.status().forEach(this::wrapped);
        headlines.loud().forEach(this::wrapped);
        AnswerLines answers = new AnswerLines(result);
        FailureTable failures = new FailureTable(result);
        TrendLines trends = new TrendLines(result);
        wrapped(headlines.valid() + heading(headlines.isSent()));
        List<String> verdicts = new VerdictLines(result).all();
        if (!verdicts.isEmpty()) {
            line("");
            verdicts.forEach(this::line);
        }
        for (TargetResult target : result.targets()) {
            line("");
            out.append(TargetBlock.of(result, target)).append(CostSummary.of(target));
        }
        line("");
        ComparisonTable table = ComparisonTable.ofLoad(result);
        out.append(table);
        for (ComparisonTable more : ComparisonTable.ofCosts(result)) {
            String rows = more.toString();
            if (!rows.isEmpty()) {
                line("");
                out.append(rows);
            }
        }
        String endpoints = new EndpointTable(result).toString();
        if (!endpoints.isEmpty()) {
            line("");
            out.append(endpoints);
        }
        result.skew().ifPresent(this::skew);
        answers.all().forEach(this::wrapped);
        if (!trends.all().isEmpty()) {
            line("");
            trends.all().forEach(this::wrapped);
        }
        result.self().ifPresent(this::self);
        if (!failures.toString().isEmpty()) {
            line("");
            out.append(failures);
        }
        List<String> notes = new RunNotes(result).all(table);
        if (!notes.isEmpty()) {
            line("");
            line("Notes:");
            notes.forEach(note -> wrapped("  " + note));
        }
        return out.toString();
    }

    private void line(String line) {
        out.append(line).append('\n');
    }

    private void wrapped(String text) {
        Lines.wrapped(text).forEach(this::line);
    }

    /** How far apart a request reached the targets, in microseconds. */
    private void skew(Skew skew) {
        Percentiles spread = skew.spread();
        StringBuilder text = new StringBuilder("Skew between targets: ");
        if (spread.count() > 0) {
            text.append("p50 ").append(Figures.threeDigits(spread.at(Level.P50) / 1e3));
            text.append(" us, p99 ").append(Figures.threeDigits(spread.at(Level.P99) / 1e3));
            text.append(" us, max ")
                    .append(Figures.threeDigits(spread.max() / 1e3))
                    .append(" us, of ");
        }
        text.append(Quantities.count(spread.count(), "request"));
        if (skew.unmeasured() > 0) {
            text.append(" (").append(skew.unmeasured()).append(" more not measured: not sent to all in time)");
        }
        line("");
        wrapped(text.toString());
    }

    /** What the replayer itself did. */
    private void self(SelfReport self) {
        StringBuilder text = new StringBuilder("Lockstep itself: ");
        text.append(Figures.format("busiest loop %.0f %% busy", self.utilisation() * 100));
        if (self.longestStallNs() > 0) {
            text.append(", longest stall ")
                    .append(Figures.threeDigits(self.longestStallNs() / 1e6))
                    .append(" ms");
        }
        text.append(", ").append(Quantities.count(self.gcCount(), "garbage collection"));
        if (self.gcCount() > 0) {
            text.append(" (longest ")
                    .append(Figures.threeDigits(self.longestGcNs() / 1e6))
                    .append(" ms)");
        }
        text.append(", CPU ").append(Figures.threeDigits(self.cpuNs() / 1e9)).append(" s");
        line("");
        wrapped(text.toString());
    }

    private String heading(boolean sent) {
        RunPlan plan = result.plan();
        CaptureReference capture = plan.capture();
        StringBuilder text = new StringBuilder(sent ? "Replayed " : "Nothing was sent of ")
                .append(printable(capture.path()))
                .append(" (")
                .append(Quantities.count(capture.requests(), "request"));
        capture.connections().ifPresent(count -> text.append(" on ").append(Quantities.count(count, "connection")));
        text.append(") ").append(pace(plan));
        plan.connections().ifPresent(count -> text.append(" over ").append(Quantities.count(count, "connection")));
        if (plan.launches() > 1) {
            int begun = result.targets().stream()
                    .mapToInt(target -> target.launches().size())
                    .max()
                    .orElse(0);
            text.append(", in ")
                    .append(begun > 0 && begun < plan.launches() ? begun + " of " : "")
                    .append(plan.units(Math.max(begun, plan.launches())))
                    .append(" of each target");
        }
        return text.toString();
    }

    private static String pace(RunPlan plan) {
        if (plan.pace().equals(Pace.MAX)) {
            return "as fast as each target answers";
        }
        if (plan.pace().equals(Pace.RECORDED)) {
            return plan.speed() == 1
                    ? "at its recorded pace"
                    : "at "
                            + BigDecimal.valueOf(plan.speed())
                                    .stripTrailingZeros()
                                    .toPlainString() + " times its recorded pace";
        }
        Pace pace = plan.pace();
        switch (pace.kind()) {
            case POISSON:
                return "at random, " + Pace.rate(pace.ratePerSec().getAsDouble()) + " on average (seed " + pace.seed()
                        + ")";
            case RAMP:
                return "at a rate that goes " + pace.toString().substring("ramp:".length());
            case STEPS:
                return "in steps of " + pace.toString().substring("steps:".length());
            case CLOSED:
                return "as fast as each target answers, with pauses of "
                        + pace.toString().substring("closed:".length());
            default:
                return "at " + pace;
        }
    }
}
