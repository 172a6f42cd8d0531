package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The control group of one target: a folder for each controller in version 1, one for all in version 2, or none where
 * none can be made. Safe to use from any thread; whoever made it removes it.
 *
 * <p>Files after the kernel's Documentation/admin-guide: cgroup-v1/memory.rst and freezer-subsystem.rst, cgroup-v2.rst.
 */
final class ControlGroup {
    private static final String UNIFIED = "unified";
    private static final long FREEZE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    /** A limit as high as this is version 1's way to say none. */
    private static final long NO_LIMIT = Long.MAX_VALUE / 2;

    private final CgroupFiles files;
    private final Map<String, Path> directories;

    /** @param directories its folders by controller, which may share one */
    ControlGroup(CgroupFiles files, Map<String, Path> directories) {
        this.files = files;
        this.directories = new LinkedHashMap<>(directories);
    }

    /** Returns a group of version 2. */
    static ControlGroup unified(CgroupFiles files, Path directory) {
        return new ControlGroup(files, Map.of(UNIFIED, directory));
    }

    /** Returns its folders by controller, "unified" for version 2. */
    Map<String, Path> directories() {
        return Map.copyOf(directories);
    }

    /** Returns the files into which a process writes its id to join. */
    List<Path> joinFiles() {
        List<Path> join = new ArrayList<>();
        folders().forEach(folder -> join.add(folder.resolve("cgroup.procs")));
        return join;
    }

    private Set<Path> folders() {
        return new LinkedHashSet<>(directories.values());
    }

    /** Returns the file of a controller under its name in the group's version, or null. */
    private Path file(String controller, String version1, String version2) {
        Path folder = directories.get(controller);
        Path unified = directories.get(UNIFIED);
        return unified != null ? unified.resolve(version2) : folder != null ? folder.resolve(version1) : null;
    }

    /** Returns the limit as read back; empty when there is none. */
    OptionalLong memoryLimitBytes() {
        OptionalLong limit = number(file("memory", "memory.limit_in_bytes", "memory.max"));
        return limit.isPresent() && limit.getAsLong() > NO_LIMIT ? OptionalLong.empty() : limit;
    }

    OptionalLong memoryPeakBytes() {
        return number(file("memory", "memory.max_usage_in_bytes", "memory.peak"));
    }

    OptionalLong oomKills() {
        Path events = file("memory", "memory.oom_control", "memory.events");
        return events == null ? OptionalLong.empty() : files.number(events, "oom_kill");
    }

    /** Returns the processes in it; none where there is no group. */
    List<Long> processes() {
        return folders().stream().findFirst().map(files::processes).orElse(List.of());
    }

    private OptionalLong number(Path file) {
        return file == null ? OptionalLong.empty() : files.number(file);
    }

    /**
     * Stops all its processes and returns when they stand still.
     *
     * @throws IOException when they do not stand still within some seconds; then they go on
     */
    void freeze() throws IOException {
        Path state = file("freezer", "freezer.state", "cgroup.freeze");
        boolean unified = directories.containsKey(UNIFIED);
        Path events = state.resolveSibling("cgroup.events");
        long deadlineNs = System.nanoTime() + FREEZE_TIMEOUT_NS;
        do {
            // Writing it again makes version 1 try again with processes that could not be stopped at first.
            files.write(state, unified ? "1" : "FROZEN");
            for (int i = 0; i < 20; i++) {
                if (unified
                        ? files.number(events, "frozen").orElse(0) == 1
                        : files.read(state).equals("FROZEN")) {
                    return;
                }
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200));
            }
        } while (System.nanoTime() < deadlineNs);
        thaw();
        throw new IOException(
                unified ? events + " did not say frozen 1 within 5 s" : state + " did not become FROZEN within 5 s");
    }

    void thaw() throws IOException {
        Path state = file("freezer", "freezer.state", "cgroup.freeze");
        if (state != null) {
            files.write(state, directories.containsKey(UNIFIED) ? "0" : "THAWED");
        }
    }

    /** Kills what is left in it, frozen or not, and removes it; idempotent. */
    void remove() {
        folders().forEach(files::killAll);
        try {
            // A frozen process of version 1 dies only after it is thawed.
            thaw();
        } catch (IOException e) {
            // Gone already.
        }
        folders().forEach(files::killAndRemove);
    }
}
