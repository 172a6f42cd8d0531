package dev.lockstep.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.results.CodeKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The stacks of a target's profile as a tree, of which a page holds the widest frames: at most 2,000, each of at least
 * a thousandth of the samples. A frame is never wider than its caller, so what is left is a tree. Used by one thread.
 */
final class FlameTree {
    private static final int MOST = 2000;
    private static final int LEAST_PARTS = 1000;
    private static final int LONGEST_NAME = 300;

    /** A function, called by the functions above it. */
    private static final class Frame {
        private final String name;
        private final Map<String, Frame> callees = new LinkedHashMap<>();
        private final Map<CodeKind, Long> kinds = new EnumMap<>(CodeKind.class);
        private long samples;
        private boolean kept;

        Frame(String name) {
            this.name = name;
        }

        /** Most samples met its code in this kind. */
        CodeKind kind() {
            return kinds.entrySet().stream()
                    .max(Map.Entry.comparingByValue())
                    .map(Map.Entry::getKey)
                    .orElse(CodeKind.UNKNOWN);
        }
    }

    private final Frame root = new Frame("");
    /** Callers before callees. */
    private final List<Frame> frames = new ArrayList<>();

    /**
     * Adds samples of a stack.
     *
     * @param stack from the root on, as in {@code .collapsed}: with the marks of their kinds
     */
    void add(List<String> stack, long samples) {
        root.samples += samples;
        Frame at = root;
        for (String marked : stack) {
            CodeKind kind = kind(marked, at == root);
            String name = cut(marked.substring(0, marked.length() - kind.mark().length()));
            at = at.callees.computeIfAbsent(name, this::frame);
            at.samples += samples;
            at.kinds.merge(kind, samples, Long::sum);
        }
    }

    private Frame frame(String name) {
        Frame frame = new Frame(name);
        frames.add(frame);
        return frame;
    }

    private static CodeKind kind(String marked, boolean first) {
        CodeKind other = first && marked.startsWith("[") ? CodeKind.VM_THREADS : CodeKind.NATIVE;
        return CodeKind.ofMarked(marked).orElse(other);
    }

    private static String cut(String name) {
        return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME - 1) + "\u2026";
    }

    boolean isEmpty() {
        return frames.isEmpty();
    }

    /**
     * Returns the frames in columns, each frame after its caller: its depth, the place of its name among the names, its
     * kind's among the kinds, and its samples.
     */
    ObjectNode columns() {
        keepWidest();
        ObjectNode columns = JsonNodeFactory.instance.objectNode();
        Map<String, Integer> names = new LinkedHashMap<>();
        Map<String, Integer> kinds = new LinkedHashMap<>();
        columns.put("samples", root.samples);
        ArrayNode depth = columns.putArray("depth");
        ArrayNode name = columns.putArray("name");
        ArrayNode kind = columns.putArray("kind");
        ArrayNode samples = columns.putArray("count");
        Deque<Frame> next = new ArrayDeque<>();
        Deque<Integer> depths = new ArrayDeque<>();
        push(root, 1, next, depths);
        while (!next.isEmpty()) {
            Frame frame = next.pop();
            int at = depths.pop();
            depth.add(at);
            name.add(place(names, frame.name));
            kind.add(place(kinds, frame.kind().label()));
            samples.add(frame.samples);
            push(frame, at + 1, next, depths);
        }
        columns.set("names", ResultData.texts(List.copyOf(names.keySet())));
        columns.set("kinds", ResultData.texts(List.copyOf(kinds.keySet())));
        columns.put("leftOut", frames.size() - depth.size());
        columns.put(
                "widestLeftOut",
                frames.stream()
                        .filter(frame -> !frame.kept)
                        .mapToLong(frame -> frame.samples)
                        .max()
                        .orElse(0));
        return columns;
    }

    private void keepWidest() {
        long least = (root.samples + LEAST_PARTS - 1) / LEAST_PARTS;
        // The sort keeps callers before callees that are as wide.
        frames.stream()
                .sorted(Comparator.comparingLong(frame -> -frame.samples))
                .limit(MOST)
                .filter(frame -> frame.samples >= least)
                .forEach(frame -> frame.kept = true);
    }

    /** So that the callees are taken by name: one place in the graphs of all targets. */
    private static void push(Frame caller, int depth, Deque<Frame> next, Deque<Integer> depths) {
        caller.callees.values().stream()
                .filter(frame -> frame.kept)
                .sorted(Comparator.comparing((Frame frame) -> frame.name).reversed())
                .forEach(frame -> {
                    next.push(frame);
                    depths.push(depth);
                });
    }

    private static int place(Map<String, Integer> places, String text) {
        return places.computeIfAbsent(text, any -> places.size());
    }
}
