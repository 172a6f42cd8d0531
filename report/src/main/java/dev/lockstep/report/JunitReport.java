package dev.lockstep.report;

import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.RunStatus;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.io.StringWriter;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * A run's result as the XML that CI servers read as tests, in the form that Ant's JUnit task began: a suite of test
 * cases. One says whether the run is valid, one for each target whether it came to its end and answered anything well,
 * one for each target against the baseline whether it is not worse by the primary metric, one for each condition. A
 * verdict that decides nothing is skipped, not passed, as is that a target came to its end where the run was
 * interrupted; a second instance of the baseline has none.
 */
final class JunitReport {
    /** XML 1.0 has no way to say these, however escaped. */
    private static final Pattern IMPOSSIBLE =
            Pattern.compile("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD\\x{10000}-\\x{10FFFF}]");

    /** LocalDateTime's own text leaves out seconds that are 0, which the format's schema does not allow. */
    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT);

    private final RunResult result;
    private final StringWriter text = new StringWriter();
    private final XMLStreamWriter xml;

    JunitReport(RunResult result) {
        this.result = result;
        try {
            xml = XMLOutputFactory.newInstance().createXMLStreamWriter(text);
        } catch (XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String toString() {
        try {
            write();
        } catch (XMLStreamException e) {
            throw new IllegalStateException("a string takes all text", e);
        }
        return text + "\n";
    }

    private void write() throws XMLStreamException {
        List<AssertionResult> assertions = result.assertions();
        List<Verdict> verdicts = result.verdicts().stream().filter(this::isCase).collect(Collectors.toList());
        VerdictLines lines = new VerdictLines(result);
        long failed = result.targets().stream()
                        .filter(target -> !isCut(target) && !end(target).isEmpty())
                        .count()
                + assertions.stream().filter(assertion -> !assertion.holds()).count()
                + verdicts.stream().filter(JunitReport::isWorse).count()
                + (isValid() ? 0 : 1);
        long skipped = result.targets().stream().filter(this::isCut).count()
                + verdicts.stream().filter(JunitReport::isOpen).count();
        xml.writeStartDocument("UTF-8", "1.0");
        line();
        xml.writeStartElement("testsuite");
        attribute("name", "lockstep");
        attribute("tests", String.valueOf(1 + result.targets().size() + verdicts.size() + assertions.size()));
        attribute("failures", String.valueOf(failed));
        attribute("errors", "0");
        attribute("skipped", String.valueOf(skipped));
        attribute("time", seconds());
        attribute("timestamp", TIMESTAMP.format(result.startedAt()));
        line();
        testCase("run", "is valid", isValid() ? "" : String.join("; ", result.statusReasons()), false);
        for (TargetResult target : result.targets()) {
            boolean cut = isCut(target);
            testCase(target.name(), "came to its end", cut ? "the run was interrupted" : end(target), cut);
        }
        for (Verdict verdict : verdicts) {
            testCase(
                    verdict.target(),
                    verdict.metric() + " is not worse than that of " + verdict.baseline(),
                    isWorse(verdict) || isOpen(verdict) ? lines.answer(verdict).text() : "",
                    isOpen(verdict));
        }
        for (AssertionResult assertion : assertions) {
            testCase("condition", assertion.text(), assertion.holds() ? "" : assertion.sentence(), false);
        }
        xml.writeEndElement();
        xml.writeEndDocument();
    }

    private boolean isValid() {
        return result.status() == RunStatus.VALID;
    }

    /** Whether it is on the primary metric; what a second instance of the baseline shows is noise. */
    private boolean isCase(Verdict verdict) {
        return verdict.primary() && !result.plan().isSameAsBaseline(verdict.target());
    }

    private static boolean isWorse(Verdict verdict) {
        return verdict.finding() == Verdict.Finding.WORSE;
    }

    private static boolean isOpen(Verdict verdict) {
        return verdict.finding() == Verdict.Finding.INCONCLUSIVE || verdict.finding() == Verdict.Finding.NOT_STEADY;
    }

    /** Whether a target neither died nor was mute, and had less than its whole load. */
    private boolean isCut(TargetResult target) {
        return result.interrupted() && target.exit().isEmpty() && !new Headlines(result).isMute(target);
    }

    private String end(TargetResult target) {
        if (target.exit().isPresent()) {
            return "died" + TargetBlock.howItDied(target.exit().get()) + failures(target);
        }
        if (new Headlines(result).isMute(target)) {
            return Headlines.MUTE.strip() + failures(target);
        }
        return target.isMeasured() ? "" : "it was not measured";
    }

    private static String failures(TargetResult target) {
        return target.counts()
                .filter(counts -> counts.failed() > 0)
                .map(counts -> "; " + counts.failed() + " of " + counts.due() + " requests failed")
                .orElse("");
    }

    private String seconds() {
        long millis = java.time.Duration.between(result.startedAt(), result.finishedAt())
                .toMillis();
        return String.format(Locale.ROOT, "%.3f", millis / 1e3);
    }

    /** @param message why it failed or was skipped; empty where it passed */
    private void testCase(String subject, String name, String message, boolean skipped) throws XMLStreamException {
        xml.writeStartElement("testcase");
        attribute("classname", "lockstep." + subject);
        attribute("name", name);
        if (!message.isEmpty()) {
            xml.writeEmptyElement(skipped ? "skipped" : "failure");
            attribute("message", message);
        }
        xml.writeEndElement();
        line();
    }

    private void attribute(String name, String value) throws XMLStreamException {
        xml.writeAttribute(name, IMPOSSIBLE.matcher(Figures.printable(value)).replaceAll("?"));
    }

    private void line() throws XMLStreamException {
        xml.writeCharacters("\n");
    }
}
