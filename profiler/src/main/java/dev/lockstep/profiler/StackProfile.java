package dev.lockstep.profiler;

import dev.lockstep.results.CodeKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/**
 * The samples of one target: how often each stack was met. Threads that compile, collect garbage or serve the VM have a
 * frame of their own at the root; all others are counted together. Filled by one thread, then only read.
 */
public final class StackProfile {
    private final Map<List<StackFrame>, Long> stacks = new LinkedHashMap<>();
    private long samples;
    private String event = "";
    private String version = "";

    StackProfile() {}

    /**
     * Adds samples of one stack.
     *
     * @param frames from the thread's first function to the one that ran
     */
    void add(ThreadRole thread, List<StackFrame> frames, long count) {
        List<StackFrame> stack = new ArrayList<>(frames.size() + 1);
        if (thread != ThreadRole.APPLICATION) {
            stack.add(new StackFrame(thread.label, CodeKind.VM_THREADS));
        }
        stack.addAll(frames);
        if (stack.isEmpty()) {
            stack.add(new StackFrame("code not known", CodeKind.UNKNOWN));
        }
        stacks.merge(List.copyOf(stack), count, Long::sum);
        samples += count;
    }

    void event(String event) {
        this.event = event;
    }

    void version(String version) {
        this.version = version;
    }

    public long samples() {
        return samples;
    }

    /** Returns what triggered the samples, for example "ctimer"; empty when the recording does not say. */
    public String event() {
        return event;
    }

    /** Returns the profiler's version; empty when the recording does not say. */
    public String version() {
        return version;
    }

    /** Writes the stacks as text, a line each, in the form that flame graph tools read. */
    public void writeStacks(Appendable out) throws IOException {
        CollapsedStacks.write(this, out);
    }

    /**
     * Writes the flame graph as an HTML file that needs no other.
     *
     * @param title what to call it, plain text
     */
    public void writeFlameGraph(String title, Appendable out) throws IOException {
        FlameGraphs.write(this, title, out);
    }

    /**
     * Writes the flame graph of these samples, coloured by the difference to a baseline's.
     *
     * @param baselineTotal what all samples of the baseline stand for, for example its CPU time per request
     * @param total what all samples here stand for, in the same unit; it is the width of the graph
     */
    public void writeDifference(StackProfile baseline, double baselineTotal, double total, String title, Appendable out)
            throws IOException {
        FlameGraphs.writeDifference(baseline, baselineTotal / baseline.samples, this, total / samples, title, out);
    }

    void forEach(ObjLongConsumer<List<StackFrame>> action) {
        stacks.forEach(action::accept);
    }

    /** Returns how often each frame was the one that ran; a group of VM threads counts as one frame. */
    Map<StackFrame, Long> self() {
        Map<StackFrame, Long> self = new LinkedHashMap<>();
        stacks.forEach((stack, count) -> {
            StackFrame root = stack.get(0);
            StackFrame top = root.kind == CodeKind.VM_THREADS ? root : stack.get(stack.size() - 1);
            self.merge(top, count, Long::sum);
        });
        return self;
    }
}
