package dev.lockstep.profiler;

import dev.lockstep.measurement.CodeKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import one.convert.Arguments;
import one.convert.CallStack;
import one.convert.FlameGraph;

/**
 * Flame graphs as HTML files that need no other file, drawn by async-profiler's own page. Names of classes, methods and
 * threads are foreign text: the page puts them into strings of a script and never into markup, and what could end that
 * script is replaced here.
 */
final class FlameGraphs {
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");
    /** What a parser of HTML looks for within a script. */
    private static final Pattern MARKUP = Pattern.compile("<(?=/|!|script)", Pattern.CASE_INSENSITIVE);

    private FlameGraphs() {}

    /** Writes the page of one profile. */
    static void write(StackProfile profile, String title, Appendable out) throws IOException {
        dump(graph(profile, 1, title, true), out);
    }

    /**
     * Writes the page of one profile, coloured by what it has more (red) or less (blue) than another. The threads of the VM
     * are one frame each group: two compilers have nothing in common that could be compared.
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
                boolean group = !vmThreads && frames.get(0).kind() == CodeKind.VM_THREADS;
                for (Frame frame : group ? frames.subList(0, 1) : frames) {
                    stack.push(harmless(frame.name()), type(frame));
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

    private static byte type(Frame frame) {
        switch (frame.kind()) {
            case INTERPRETED:
                return one.convert.Frame.TYPE_INTERPRETED;
            case C1:
                return one.convert.Frame.TYPE_C1_COMPILED;
            case COMPILED:
                return one.convert.Frame.TYPE_JIT_COMPILED;
            case INLINED:
                return one.convert.Frame.TYPE_INLINED;
            case KERNEL:
                return one.convert.Frame.TYPE_KERNEL;
            case NATIVE:
                return frame.name().contains("::") ? one.convert.Frame.TYPE_CPP : one.convert.Frame.TYPE_NATIVE;
            default:
                return one.convert.Frame.TYPE_NATIVE;
        }
    }

    private static void dump(FlameGraph graph, Appendable out) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.dump(new PrintStream(bytes, false, StandardCharsets.UTF_8));
        out.append(bytes.toString(StandardCharsets.UTF_8));
    }
}
