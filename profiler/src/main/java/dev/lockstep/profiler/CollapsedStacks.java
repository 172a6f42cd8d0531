package dev.lockstep.profiler;

import dev.lockstep.measurement.CodeKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Stacks as text, the form that flame graph tools read: a line for each stack, its frames from the root on joined by
 * semicolons, a blank, the number of samples. The kind of a frame stands behind its name as async-profiler writes it:
 * {@code _[0]} interpreted, {@code _[1]} C1, {@code _[j]} compiled, {@code _[i]} inlined, {@code _[k]} kernel; and, of our
 * own, {@code _[s]} stub.
 */
final class CollapsedStacks {
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");

    private CollapsedStacks() {}

    /** Writes all stacks. */
    static void write(StackProfile profile, Appendable out) throws IOException {
        write(profile, 1, out);
    }

    /**
     * Writes all stacks, each number times a factor and rounded; what rounds to 0 is left out.
     */
    static void write(StackProfile profile, double factor, Appendable out) throws IOException {
        List<String> lines = new ArrayList<>();
        profile.forEach((stack, count) -> {
            long scaled = Math.round(count * factor);
            if (scaled > 0) {
                StringBuilder line = new StringBuilder();
                for (Frame frame : stack) {
                    line.append(line.length() == 0 ? "" : ";")
                            .append(name(frame))
                            .append(suffix(frame.kind()));
                }
                lines.add(line.append(' ').append(scaled).append('\n').toString());
            }
        });
        lines.sort(null);
        for (String line : lines) {
            out.append(line);
        }
    }

    /**
     * Returns the name without what has a meaning of its own in the format or commands a terminal.
     */
    private static String name(Frame frame) {
        return UNSAFE.matcher(frame.name()).replaceAll("?").replace(';', ',');
    }

    /**
     * Reads what {@link #write} wrote, or what async-profiler or Brendan Gregg's scripts did.
     *
     * @throws ProfilerException naming the line that is none
     */
    static StackProfile read(Reader in) throws IOException {
        StackProfile profile = new StackProfile();
        BufferedReader lines = new BufferedReader(in);
        int number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            if (line.isEmpty()) {
                continue;
            }
            int blank = line.lastIndexOf(' ');
            String count = line.substring(blank + 1);
            if (blank < 1 || !count.matches("[1-9][0-9]{0,17}")) {
                throw new ProfilerException("line " + number
                        + ": expected frames joined by semicolons, a blank and a number of samples, found '"
                        + (line.length() > 60 ? line.substring(0, 60) + "..." : line) + "'");
            }
            List<Frame> frames = new ArrayList<>();
            for (String frame : line.substring(0, blank).split(";")) {
                frames.add(frame(frame));
            }
            profile.add(ThreadRole.APPLICATION, frames, Long.parseLong(count));
        }
        return profile;
    }

    private static Frame frame(String text) {
        for (ThreadRole role : ThreadRole.values()) {
            if (text.equals(role.label())) {
                return new Frame(text, CodeKind.VM_THREADS);
            }
        }
        for (CodeKind kind : CodeKind.values()) {
            String suffix = suffix(kind);
            if (!suffix.isEmpty() && text.endsWith(suffix)) {
                return new Frame(text.substring(0, text.length() - suffix.length()), kind);
            }
        }
        return new Frame(text, CodeKind.NATIVE);
    }

    static String suffix(CodeKind kind) {
        switch (kind) {
            case INTERPRETED:
                return "_[0]";
            case C1:
                return "_[1]";
            case COMPILED:
                return "_[j]";
            case INLINED:
                return "_[i]";
            case KERNEL:
                return "_[k]";
            case STUB:
                return "_[s]";
            default:
                return "";
        }
    }
}
