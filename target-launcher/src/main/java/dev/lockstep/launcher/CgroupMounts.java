package dev.lockstep.launcher;

import dev.lockstep.monitor.CpuQuota;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where the control group file systems are mounted and which group of each this process is in; from
 * {@code /proc/self/mountinfo} and {@code /proc/self/cgroup}, whose formats are in proc(5) and cgroups(7). Immutable.
 */
final class CgroupMounts {
    /** One file system and our group in it. */
    static final class Mount {
        final Path root;
        /** The folder of our own group. */
        final Path own;
        /** All controllers that share this file system. */
        final List<String> controllers;

        Mount(Path root, Path own, List<String> controllers) {
            this.root = root;
            this.own = own;
            this.controllers = List.copyOf(controllers);
        }
    }

    private final Map<String, Mount> v1;
    private final Mount v2;
    private final Path cpu;

    private CgroupMounts(Map<String, Mount> v1, Mount v2, Path cpu) {
        this.v1 = v1;
        this.v2 = v2;
        this.cpu = cpu;
    }

    /** Reads the mounts of this process; there are none when the files cannot be read. */
    static CgroupMounts read() {
        return of("self");
    }

    /** Returns the groups of another process, as far as they are mounted for this one; none when it has ended. */
    static CgroupMounts of(long pid) {
        return of(Long.toString(pid));
    }

    private static CgroupMounts of(String process) {
        try {
            return parse(
                    KernelFile.readLines(Path.of("/proc/self/mountinfo")),
                    KernelFile.readLines(Path.of("/proc", process, "cgroup")));
        } catch (IOException e) {
            return new CgroupMounts(Map.of(), null, null);
        }
    }

    static CgroupMounts parse(List<String> mountinfo, List<String> cgroup) {
        Map<String, String> groups = new LinkedHashMap<>();
        for (String line : cgroup) {
            // hierarchy-ID:controller-list:path; v2 has an empty list.
            String[] fields = line.split(":", 3);
            if (fields.length == 3) {
                for (String controller : fields[1].split(",", -1)) {
                    groups.put(controller, fields[2]);
                }
            }
        }
        Map<String, Mount> v1 = new LinkedHashMap<>();
        Mount v2 = null;
        for (String line : mountinfo) {
            int separator = line.indexOf(" - ");
            if (separator < 0) {
                continue;
            }
            String[] before = line.substring(0, separator).split(" ");
            String[] after = line.substring(separator + 3).split(" ");
            // The mount point of another file system may have a name that this locale has no characters for.
            if (before.length < 5 || after.length < 3 || !after[0].startsWith("cgroup")) {
                continue;
            }
            Path mountPoint = Path.of(unescape(before[4]));
            String mountedRoot = unescape(before[3]);
            if (after[0].equals("cgroup2") && v2 == null) {
                v2 = new Mount(mountPoint, own(mountPoint, mountedRoot, groups.get("")), List.of());
            } else if (after[0].equals("cgroup")) {
                List<String> controllers = new ArrayList<>();
                for (String option : after[2].split(",")) {
                    if (groups.containsKey(option)) {
                        controllers.add(option);
                    }
                }
                for (String controller : controllers) {
                    Path own = own(mountPoint, mountedRoot, groups.get(controller));
                    v1.putIfAbsent(controller, new Mount(mountPoint, own, controllers));
                }
            }
        }
        boolean cpuInV1 = groups.containsKey("cpu");
        String group = groups.get(cpuInV1 ? "cpu" : "");
        Mount cpu = cpuInV1 ? v1.get("cpu") : v2;
        boolean visible = cpu != null && group != null && !group.startsWith("/..");
        return new CgroupMounts(v1, v2, visible ? cpu.own : null);
    }

    /** A container sees its own group mounted as the root, while /proc may give the path outside the container. */
    private static Path own(Path mountPoint, String mountedRoot, String group) {
        if (group == null || group.equals(mountedRoot)) {
            return mountPoint;
        }
        String prefix = mountedRoot.equals("/") ? "" : mountedRoot;
        if (!group.startsWith(prefix + "/") || group.contains("/../")) {
            return mountPoint;
        }
        Path own = mountPoint.resolve(group.substring(prefix.length() + 1));
        return Files.isDirectory(own) ? own : mountPoint;
    }

    /** Blanks in mount points are written as octal escapes. */
    private static String unescape(String text) {
        return text.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    }

    /** Returns the v1 file system of a controller. */
    Optional<Mount> v1(String controller) {
        return Optional.ofNullable(v1.get(controller));
    }

    /**
     * Returns the folder of the process's group in whichever tree has the cpu controller; empty where that can not be
     * seen.
     */
    Optional<Path> cpu() {
        return Optional.ofNullable(cpu);
    }

    Optional<Mount> v2() {
        return Optional.ofNullable(v2);
    }

    /**
     * Returns the narrowest CPU quota of the process's group and of those above it, as far as they can be seen; empty
     * where none has one.
     */
    Optional<CpuQuota> cpuQuota() {
        return cpu().flatMap(CpuQuota::narrowest);
    }
}
