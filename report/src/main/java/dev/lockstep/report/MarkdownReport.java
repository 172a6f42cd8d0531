package dev.lockstep.report;

import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A run's result as GitHub shows Markdown, for a pull request or a job's summary: the answer, what was odd, the tables.
 * Foreign text cannot become markup: every character that Markdown or HTML could read as such is escaped.
 */
final class MarkdownReport {
    private static final Pattern MARKUP = Pattern.compile("[\\\\`*_{}\\[\\]#+!|~]|:(?=//)");
    private static final int MOST_ODD = 5;

    private final RunResult result;
    private final Findings findings;

    MarkdownReport(RunResult result) {
        this.result = result;
        findings = Findings.of(result);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("## Lockstep: ")
                .append(escaped(
                        result.targets().stream().map(TargetResult::name).collect(Collectors.joining(", "))))
                .append("\n\n**")
                .append(escaped(findings.outcome().text()))
                .append("**, ")
                .append(escaped(result.plan().capture().path()))
                .append(", ")
                .append(escaped(findings.began()))
                .append('\n');
        findings.status()
                .forEach(line -> text.append("\n> ").append(escaped(line)).append('\n'));
        findings.answers()
                .forEach(answer -> text.append('\n').append(line(answer)).append('\n'));
        List<String> odd = findings.odd();
        if (!odd.isEmpty()) {
            text.append("\n### What was odd\n\n");
            odd.stream()
                    .limit(MOST_ODD)
                    .forEach(line -> text.append("- ").append(escaped(line)).append('\n'));
            if (odd.size() > MOST_ODD) {
                text.append("- and ").append(odd.size() - MOST_ODD).append(" more\n");
            }
        }
        for (ComparisonTable table : findings.tables()) {
            text.append("\n### ").append(escaped(table.title())).append("\n\n");
            if (!table.warning().isEmpty()) {
                text.append("**").append(escaped(table.warning())).append("**\n\n");
            }
            row(text, table.heading(), table.headings());
            text.append("|---|").append("---:|".repeat(table.headings().size())).append('\n');
            for (TargetResult target : result.targets()) {
                row(text, table.label(target.name()), table.cells(target.name()));
                List<String> ratios = table.ratios(target.name());
                if (ratios.stream().anyMatch(cell -> !cell.isEmpty() && !cell.equals(Figures.ABSENT))) {
                    row(text, "ratio to " + result.plan().baseline(), ratios);
                }
            }
            table.remarks()
                    .forEach(line -> text.append('\n').append(escaped(line)).append('\n'));
        }
        return text.toString();
    }

    static String line(Findings.Sentence answer) {
        String text = escaped(answer.text());
        return answer.tone() == Paint.Tone.HEADING ? text : "**" + text + "**";
    }

    private static void row(StringBuilder text, String name, List<String> cells) {
        text.append("| ").append(escaped(name)).append(" |");
        cells.forEach(cell -> text.append(' ').append(escaped(cell)).append(" |"));
        text.append('\n');
    }

    static String escaped(String text) {
        String plain = Figures.printable(text)
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;");
        return MARKUP.matcher(plain).replaceAll("\\\\$0");
    }
}
