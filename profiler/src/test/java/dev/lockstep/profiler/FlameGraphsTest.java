package dev.lockstep.profiler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.results.CodeKind;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class FlameGraphsTest {
    private static StackProfile profile(StackFrame... frames) {
        StackProfile profile = new StackProfile();
        profile.add(ThreadRole.APPLICATION, List.of(frames), 10);
        return profile;
    }

    private static String html(StackProfile profile, String title) throws IOException {
        StringBuilder out = new StringBuilder();
        profile.writeFlameGraph(title, out);
        return out.toString();
    }

    private static long count(String text, String regex) {
        return Pattern.compile(regex, Pattern.CASE_INSENSITIVE)
                .matcher(text)
                .results()
                .count();
    }

    @Test
    void needNoOtherFile() throws IOException {
        String html = html(profile(new StackFrame("a.B.c", CodeKind.COMPILED)), "c2");

        assertTrue(html.contains("<h1>c2</h1>"), html);
        assertTrue(html.contains("a.B.c"), html);
        assertEquals(0, count(html, "<link|<script[^>]+src|<img|<iframe|@import|url\\(|fetch\\(|XMLHttp"), html);
    }

    @Test
    void areNotBrokenByForeignNames() throws IOException {
        String plain = html(profile(new StackFrame("a.B.c", CodeKind.COMPILED)), "c2");
        String hostile = html(
                profile(
                        new StackFrame("a</script><script>alert(1)//", CodeKind.COMPILED),
                        new StackFrame("b<!--", CodeKind.NATIVE),
                        new StackFrame("c'+alert(2)+'\\", CodeKind.STUB),
                        new StackFrame("d\n\u2028e\ud800", CodeKind.KERNEL),
                        new StackFrame("java.util.ArrayList.<init>", CodeKind.INLINED)),
                "<b>&");

        assertEquals(count(plain, "<script"), count(hostile, "<script"));
        assertEquals(count(plain, "</script"), count(hostile, "</script"));
        assertFalse(hostile.contains("<!--"));
        assertTrue(hostile.contains("<h1>&lt;b>&amp;</h1>"));
        assertTrue(hostile.contains("c\\'+alert(2)+\\'\\\\'"), hostile);
        assertTrue(hostile.contains("d??e?"), hostile);
        assertTrue(hostile.contains("java.util.ArrayList.<init>"), hostile);
    }

    @Test
    void colourByTheDifferenceOfWhatTheSamplesStandFor() throws IOException {
        StackProfile baseline = new StackProfile();
        baseline.add(ThreadRole.APPLICATION, List.of(new StackFrame("same", CodeKind.COMPILED)), 50);
        baseline.add(ThreadRole.APPLICATION, List.of(new StackFrame("less", CodeKind.COMPILED)), 50);
        StackProfile profile = new StackProfile();
        profile.add(ThreadRole.APPLICATION, List.of(new StackFrame("same", CodeKind.INLINED)), 10);
        profile.add(ThreadRole.APPLICATION, List.of(new StackFrame("less", CodeKind.COMPILED)), 4);
        profile.add(ThreadRole.APPLICATION, List.of(new StackFrame("fresh", CodeKind.COMPILED)), 5);
        profile.add(ThreadRole.JIT, List.of(new StackFrame("a.Compiler.compile", CodeKind.COMPILED)), 1);
        StringBuilder out = new StringBuilder();

        // 20 samples here stand for as much as 100 of the baseline: each weighs five times as much.
        profile.writeDifference(baseline, 1000, 1000, "diff", out);

        Matcher most = Pattern.compile("maxdiff = (\\d+)").matcher(out);
        assertTrue(most.find(), out.toString());
        // The frame "less" has 4 of 20 instead of 50 of 100: 300 of 1000 fewer.
        assertEquals("300", most.group(1));
        assertTrue(out.toString().contains("d=-300\n"), out.toString());
        assertTrue(out.toString().contains("d=U\n"), out.toString());
        assertTrue(out.toString().contains("[JIT compiler threads]"), out.toString());
        assertFalse(out.toString().contains("a.Compiler.compile"), out.toString());
        assertTrue(html(profile, "graal").contains("a.Compiler.compile"));
    }
}
