package dev.lockstep.profiler;

import dev.lockstep.results.CodeKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import one.convert.Arguments;
import one.convert.CallStack;
import one.convert.FlameGraph;
import one.convert.Frame;

/**
 * Flame graphs as HTML files that need no other file, drawn by async-profiler's own page. Names of classes, methods and
 * threads are foreign text: the page puts them into strings of a script and never into markup, and what could end that
 * script is replaced here.
 */
final class FlameGraphs {
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");
    /** What an HTML parser looks for within a script. */
    private static final Pattern MARKUP = Pattern.compile("<(?=/|!|script)", Pattern.CASE_INSENSITIVE);

    /** The colours of the page; what is not here is drawn as native code. */
    private static final Map<CodeKind, Byte> TYPES = Map.of(
            CodeKind.INTERPRETED, Frame.TYPE_INTERPRETED,
            CodeKind.C1, Frame.TYPE_C1_COMPILED,
            CodeKind.COMPILED, Frame.TYPE_JIT_COMPILED,
            CodeKind.INLINED, Frame.TYPE_INLINED,
            CodeKind.KERNEL, Frame.TYPE_KERNEL);

    private FlameGraphs() {}

    /** Writes the page of one profile. */
    static void write(StackProfile profile, String title, Appendable out) throws IOException {
        dump(graph(profile, 1, title, true), out);
    }

    /**
     * Writes the page of one profile, coloured by where it has more (red) or less (blue) than another. Each group of VM
     * threads is one frame: two compilers have no frames in common that could be compared.
     *
     * @param baselineFactor what the samples of the other are multiplied with, so that both have the same unit
     * @param factor and those of the profile
     */
    static void writeDifference(
            StackProfile baseline,
            double baselineFactor,
            StackProfile profile,
            double factor,
            String title,
            Appendable out)
            throws IOException {
        FlameGraph graph = graph(profile, factor, title, false);
        graph.diff(graph(baseline, baselineFactor, title, false));
        dump(graph, out);
    }

    /** @param vmThreads whether the stacks of the VM's threads are shown, or one frame for each group of them */
    private static FlameGraph graph(StackProfile profile, double factor, String title, boolean vmThreads) {
        Arguments arguments = new Arguments();
        arguments.title = title.replace("&", "&amp;").replace("<", "&lt;");
        FlameGraph graph = new FlameGraph(arguments);
        CallStack stack = new CallStack();
        profile.forEach((frames, count) -> {
            long scaled = Math.round(count * factor);
            if (scaled > 0) {
                boolean group = !vmThreads && frames.get(0).kind == CodeKind.VM_THREADS;
                for (StackFrame frame : group ? frames.subList(0, 1) : frames) {
                    stack.push(harmless(frame.name), type(frame));
                }
                graph.addSample(stack, scaled);
                stack.clear();
            }
        });
        return graph;
    }

    static String harmless(String name) {
        return MARKUP.matcher(UNSAFE.matcher(name).replaceAll("?")).replaceAll("\u2039");
    }

    private static byte type(StackFrame frame) {
        return frame.kind == CodeKind.NATIVE && frame.name.contains("::")
                ? Frame.TYPE_CPP
                : TYPES.getOrDefault(frame.kind, Frame.TYPE_NATIVE);
    }

    private static void dump(FlameGraph graph, Appendable out) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.dump(new PrintStream(bytes, false, StandardCharsets.UTF_8));
        out.append(bytes.toString(StandardCharsets.UTF_8));
    }
}
