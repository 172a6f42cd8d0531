package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of the control group above the groups of a run: {@code lockstep-PID.START.NAMESPACE.COUNT}.
 *
 * <p>From the name one can tell whether the run still lives. The start time (clock ticks since boot) tells a process
 * from a later one with the same id. The pid namespace keeps us from taking another container's live groups for dead
 * ones.
 */
final class RunGroupName {
    private static final Pattern NAME = Pattern.compile("lockstep-([0-9]+)\\.([0-9]+)\\.([0-9]+)\\.([0-9]+)");
    private static final Pattern NAMESPACE = Pattern.compile("pid:\\[([0-9]+)]");

    private RunGroupName() {}

    /** Returns the n-th name for this process. */
    static String own(int count) {
        long pid = ProcessHandle.current().pid();
        return "lockstep-" + pid + "." + startTicks(pid) + "." + namespace() + "." + count;
    }

    /** Whether this is the name of a group whose run has ended without removing it. */
    static boolean isStale(String name) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches() || !matcher.group(3).equals(namespace())) {
            return false;
        }
        return !startTicks(Long.parseLong(matcher.group(1))).equals(matcher.group(2));
    }

    private static String namespace() {
        try {
            Matcher matcher = NAMESPACE.matcher(
                    Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString());
            return matcher.matches() ? matcher.group(1) : "0";
        } catch (IOException e) {
            return "0";
        }
    }

    /** Returns when a process started, field 22 of /proc/PID/stat; empty when there is no such process. */
    static String startTicks(long pid) {
        try {
            return KernelFile.readStat(Path.of("/proc/" + pid))[22 - 3];
        } catch (IOException | IndexOutOfBoundsException e) {
            return "";
        }
    }
}
