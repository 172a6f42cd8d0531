package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class MarkdownReportTest {
    private static TargetResult target(String name, String note) {
        return TargetResult.builder(name)
                .load(TestingRuns.load(1, TestingRuns.evenly(1000, 2_000_000)))
                .note(note)
                .build();
    }

    @Test
    void hasTheAnswerWhatWasOddAndTablesOfOneWidth() {
        RunResult run = TestingRuns.run(target("c2", "shares a core"), target("graal", "is odd"));

        String text = Report.of(run).as(ReportFormat.MARKDOWN);

        assertTrue(text.startsWith("## Lockstep: c2, graal\n\n**VALID**, samples/users.bin, "), text);
        assertTrue(text.contains("\n### What was odd\n\n- c2: shares a core\n"), text);
        assertTrue(text.contains("\n| c2 |"), text);
        assertTrue(text.contains("\n| ratio to c2 |"), text);
        long columns = -1;
        for (String line : text.split("\n")) {
            if (!line.startsWith("|")) {
                columns = -1;
            } else {
                long found = line.chars().filter(c -> c == '|').count();
                assertEquals(columns < 0 ? found : columns, found, line);
                columns = found;
            }
        }
    }

    @Test
    void letsNoTextBecomeMarkup() {
        String hostile = "<img src=x> [a](http://evil) **b** | `c` \u001b[31m ~~d~~ # e\nf";
        RunResult run = TestingRuns.run(target("c2", hostile), target("graal", ""));

        String line = Arrays.stream(Report.of(run).as(ReportFormat.MARKDOWN).split("\n"))
                .filter(one -> one.contains("img"))
                .findFirst()
                .orElseThrow();

        assertEquals(
                "- c2: &lt;img src=x&gt; \\[a\\](http\\://evil) \\*\\*b\\*\\* \\| \\`c\\`  \\~\\~d\\~\\~ \\# e?f",
                line);
        assertFalse(line.contains("\u001b"));
    }

    @Test
    void turnsNoText() {
        RunResult run = TestingRuns.run(target("c2", "a\u202eb\u2066c\u200fd\u0085e\ud800f"), target("graal", ""));

        String text = Report.of(run).as(ReportFormat.MARKDOWN);

        assertTrue(text.contains("\n- a?b?c?d?e?f\n") || text.contains(": a?b?c?d?e?f\n"), text);
    }

    @Test
    void saysInTheTablesThatTheyAreNotToBeTrustedAndWhoDied() {
        TargetResult dead = TargetResult.builder("graal")
                .exit(TargetExit.builder().exitCode(137).phase("measurement").build())
                .load(TestingRuns.load(1, TestingRuns.evenly(1000, 2_000_000)))
                .build();

        String text = Report.of(TestingRuns.run(target("c2", ""), dead).withInvalid("Lockstep *was* late"))
                .as(ReportFormat.MARKDOWN);

        assertTrue(text.contains("\n**INVALID, graal DIED**, samples/users.bin"), text);
        assertTrue(
                text.contains("\n**INVALID: do not trust these figures: Lockstep \\*was\\* late**\n\n"
                        + "| INVALID | req/s |"),
                text);
        assertTrue(text.contains("\n| graal DIED |"), text);
        assertTrue(text.contains("\ngraal died: its rate is that of the 1.0 s of its own load\n"), text);
    }
}
