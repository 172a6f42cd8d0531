package dev.lockstep.profiler;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Stacks as text, the form that flame graph tools read: a line for each stack, its frames from the root on joined by
 * semicolons, a blank, the number of samples. The kind of a frame stands behind its name as async-profiler writes it:
 * {@code _[0]} interpreted, {@code _[1]} C1, {@code _[j]} compiled, {@code _[i]} inlined, {@code _[k]} kernel; and, of
 * our own, {@code _[s]} stub and {@code _[u]} unknown.
 */
final class CollapsedStacks {
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");

    private CollapsedStacks() {}

    static void write(StackProfile profile, Appendable out) throws IOException {
        List<String> lines = new ArrayList<>();
        profile.forEach((stack, count) -> {
            StringBuilder line = new StringBuilder();
            for (StackFrame frame : stack) {
                line.append(line.length() == 0 ? "" : ";").append(name(frame)).append(frame.kind.mark());
            }
            lines.add(line.append(' ').append(count).append('\n').toString());
        });
        lines.sort(null);
        for (String line : lines) {
            out.append(line);
        }
    }

    /** Returns the name without characters that mean something in this format or control a terminal. */
    private static String name(StackFrame frame) {
        return UNSAFE.matcher(frame.name).replaceAll("?").replace(';', ',');
    }
}
