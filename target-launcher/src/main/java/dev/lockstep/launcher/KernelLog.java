package dev.lockstep.launcher;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Finds in the kernel's log what it said when it killed a process for lack of memory. */
final class KernelLog {
    private KernelLog() {}

    /**
     * Returns the kernel's line about this process, if the log can be read and still has one.
     *
     * @param group name of the control group, which identifies it where the kernel counts processes differently
     */
    static Optional<String> outOfMemory(long pid, String group) {
        try {
            return find(ShortCommand.run(List.of("dmesg"), Duration.ofSeconds(5)).output, pid, group);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    static Optional<String> find(String log, long pid, String group) {
        String killed = null;
        String inGroup = null;
        for (String line : (Iterable<String>) log.lines()::iterator) {
            if (line.matches(".*[Kk]illed process " + pid + "[ ,].*")) {
                killed = line;
            } else if (line.contains("oom-kill:") && line.contains("/" + group + ",")) {
                inGroup = line;
            }
        }
        return Optional.ofNullable(killed != null ? killed : inGroup).map(String::trim);
    }
}
