package dev.lockstep.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.measurement.ErrorKind;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetExit;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

final class JunitReportTest {
    private static TargetResult target(String name) {
        return TargetResult.builder(name)
                .load(TestingRuns.load(1, TestingRuns.evenly(1000, 2_000_000)))
                .build();
    }

    private static Element suite(RunResult run) throws Exception {
        byte[] xml = Report.of(run).as(ReportFormat.JUNIT).getBytes(StandardCharsets.UTF_8);
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(xml))
                .getDocumentElement();
    }

    /** Returns each test case as class, name and what came of it. */
    private static List<String> cases(Element suite) {
        List<String> cases = new ArrayList<>();
        NodeList found = suite.getElementsByTagName("testcase");
        for (int i = 0; i < found.getLength(); i++) {
            Element one = (Element) found.item(i);
            String outcome = one.getElementsByTagName("failure").getLength() > 0
                    ? "failed"
                    : one.getElementsByTagName("skipped").getLength() > 0 ? "skipped" : "passed";
            cases.add(one.getAttribute("classname") + ": " + one.getAttribute("name") + ": " + outcome);
        }
        return cases;
    }

    private static Verdict verdict(Verdict.Finding finding) {
        return Verdict.builder("cpuPerRequest", "graal", "c2")
                .primary(true)
                .finding(finding)
                .launches(6)
                .ratio(1.1)
                .build();
    }

    @Test
    void makesATestOfEachVerdictAndCondition() throws Exception {
        TargetResult dead = TargetResult.builder("graal")
                .exit(TargetExit.builder().exitCode(137).phase("measurement").build())
                .build();
        RunResult run = TestingRuns.run(target("c2"), dead)
                .withVerdicts(List.of(verdict(Verdict.Finding.WORSE)))
                .withAssertions(List.of(AssertionResult.of(
                        "graal.p99 <= 20ms",
                        false,
                        OptionalDouble.empty(),
                        OptionalDouble.empty(),
                        "fails: \u0000\u202e\ud800\uffff <&>\"]]>")));

        Element suite = suite(run);

        assertEquals(
                List.of(
                        "lockstep.run: is valid: passed",
                        "lockstep.c2: came to its end: passed",
                        "lockstep.graal: came to its end: failed",
                        "lockstep.graal: cpuPerRequest is not worse than that of c2: failed",
                        "lockstep.condition: graal.p99 <= 20ms: failed"),
                cases(suite));
        assertEquals("5", suite.getAttribute("tests"));
        assertEquals("3", suite.getAttribute("failures"));
        assertEquals("fails: ???? <&>\"]]>", message(suite, 2));
    }

    private static String message(Element suite, int failure) {
        return ((Element) suite.getElementsByTagName("failure").item(failure)).getAttribute("message");
    }

    @Test
    void hasSecondsInItsTimestampAlsoWhereTheyAreNone() throws Exception {
        assertEquals("2026-11-21T07:42:00", suite(TestingRuns.run(target("c2"))).getAttribute("timestamp"));
    }

    private static Verdict worse(String target, double ratio) {
        return Verdict.builder("cpuPerRequest", target, "c2")
                .primary(true)
                .finding(Verdict.Finding.WORSE)
                .launches(6)
                .ratio(ratio)
                .build();
    }

    /** The sentence of graal was the first that began with its name, and a difference to itself failed. */
    @Test
    void givesEachTargetItsOwnSentenceAndNoneToASecondInstanceOfTheBaseline() throws Exception {
        TargetResult[] targets = {target("c2"), target("graal@25"), target("graal"), target("c2-aa")};
        RunResult run = TestingRuns.run(
                        TestingRuns.plan(targets).sameAsBaseline("c2-aa").build(), targets)
                .build()
                .withVerdicts(List.of(worse("graal@25", 1.1), worse("graal", 1.3), worse("c2-aa", 1.05)));

        Element suite = suite(run);

        assertEquals("2", suite.getAttribute("failures"));
        assertEquals("7", suite.getAttribute("tests"));
        assertTrue(message(suite, 0).startsWith("graal@25 uses 10.0 % more "), message(suite, 0));
        assertTrue(message(suite, 1).startsWith("graal uses 30.0 % more "), message(suite, 1));
        assertTrue(cases(suite).stream().noneMatch(one -> one.startsWith("lockstep.c2-aa: cpuPerRequest")));
    }

    @Test
    void skipsWhatWasNotDecidedAndFailsAnInvalidRun() throws Exception {
        RunResult run = TestingRuns.run(target("c2"), target("graal"))
                .withVerdicts(List.of(verdict(Verdict.Finding.INCONCLUSIVE)))
                .withInvalid("Lockstep was late");

        Element suite = suite(run);

        assertEquals("1", suite.getAttribute("skipped"));
        assertEquals("1", suite.getAttribute("failures"));
        assertEquals("Lockstep was late", message(suite, 0));
        assertTrue(cases(suite).contains("lockstep.graal: cpuPerRequest is not worse than that of c2: skipped"));
    }

    @Test
    void saysOfNoTargetOfAnInterruptedRunThatItCameToItsEnd() throws Exception {
        TargetResult[] targets = {target("c2"), TargetResult.builder("graal").build()};
        RunResult run = TestingRuns.run(TestingRuns.plan(targets).build(), targets)
                .interrupted(true)
                .build();

        Element suite = suite(run);

        assertEquals(
                List.of(
                        "lockstep.run: is valid: passed",
                        "lockstep.c2: came to its end: skipped",
                        "lockstep.graal: came to its end: skipped"),
                cases(suite));
        assertEquals("2", suite.getAttribute("skipped"));
        assertEquals("0", suite.getAttribute("failures"));
    }

    /** It lived, and a green test would say that it served. */
    @Test
    void failsATargetThatAnsweredNoRequestWell() throws Exception {
        TargetResult mute = TargetResult.builder("c2")
                .load(TestingRuns.load(1, counts -> {}, i -> 500, TestingRuns.evenly(58, 2_000_000)))
                .build();

        Element suite = suite(TestingRuns.run(mute));

        assertEquals("1", suite.getAttribute("failures"));
        assertEquals("answered no request well; 58 of 58 requests failed", message(suite, 0));
    }

    @Test
    void countsWhatATargetThatDiedFailed() throws Exception {
        TargetResult dead = TargetResult.builder("c2")
                .exit(TargetExit.builder().exitCode(137).phase("measurement").build())
                .load(TestingRuns.load(
                        5,
                        counts -> {
                            counts.sent += 94;
                            counts.error(ErrorKind.TARGET_DIED, 94);
                        },
                        TestingRuns.evenly(58, 2_000_000)))
                .build();

        assertEquals(
                "died during measurement: exit code 137 (SIGKILL); 94 of 152 requests failed",
                message(suite(TestingRuns.run(dead)), 0));
    }
}
