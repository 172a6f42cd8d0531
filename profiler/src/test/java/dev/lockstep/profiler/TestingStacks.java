package dev.lockstep.profiler;

import dev.lockstep.results.CodeKind;
import java.util.ArrayList;
import java.util.List;

/** Profiles written down as {@link CollapsedStacks} writes them. */
final class TestingStacks {
    private TestingStacks() {}

    static StackProfile profile(String text) {
        StackProfile profile = new StackProfile();
        text.lines().forEach(line -> {
            int blank = line.lastIndexOf(' ');
            List<StackFrame> frames = new ArrayList<>();
            for (String frame : line.substring(0, blank).split(";")) {
                frames.add(frame(frame));
            }
            profile.add(ThreadRole.APPLICATION, frames, Long.parseLong(line.substring(blank + 1)));
        });
        return profile;
    }

    private static StackFrame frame(String text) {
        if (text.startsWith("[")) {
            return new StackFrame(text, CodeKind.VM_THREADS);
        }
        CodeKind kind = CodeKind.ofMarked(text).orElse(CodeKind.NATIVE);
        return new StackFrame(text.substring(0, text.length() - kind.mark().length()), kind);
    }
}
