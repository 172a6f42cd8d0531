package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Control groups of version 1: a tree for each controller, any of which may be closed to us.
 *
 * <p>Files after the kernel's Documentation/admin-guide/cgroup-v1: memory.rst, cpusets.rst, freezer-subsystem.rst.
 */
final class ControlGroupsV1 implements ControlGroups {
    /** The controllers we use: for the caps, the freezer, and the group's exact CPU time. */
    private static final List<String> WANTED = List.of("freezer", "cpuset", "memory", "cpuacct");

    private final CgroupFiles files;
    /** Our parent group by controller; co-mounted controllers share one. */
    private final Map<String, Path> parents;
    /** Why a wanted controller has no parent group. */
    private final Map<String, String> reasons;

    private final AtomicInteger created = new AtomicInteger();

    private ControlGroupsV1(CgroupFiles files, Map<String, Path> parents, Map<String, String> reasons) {
        this.files = files;
        this.parents = parents;
        this.reasons = reasons;
    }

    static ControlGroups open(CgroupMounts mounts, CgroupFiles files) {
        sweep(mounts, files);
        Map<String, Path> parents = new LinkedHashMap<>();
        Map<String, String> reasons = new LinkedHashMap<>();
        for (String controller : WANTED) {
            Optional<CgroupMounts.Mount> mount = mounts.v1(controller);
            if (parents.containsKey(controller)) {
                continue;
            }
            if (mount.isEmpty()) {
                reasons.put(controller, "no cgroup v1 controller '" + controller + "' is mounted");
                continue;
            }
            try {
                Path parent = makeParent(mount.get(), files);
                mount.get().controllers.forEach(shared -> parents.put(shared, parent));
            } catch (IOException e) {
                reasons.put(controller, "cgroup v1 controller '" + controller + "': " + reason(e));
            }
        }
        return new ControlGroupsV1(files, parents, reasons);
    }

    /** Makes it below our own group, or below the root when we may not divide our own. */
    private static Path makeParent(CgroupMounts.Mount mount, CgroupFiles files) throws IOException {
        try {
            return makeParent(mount.own, mount.controllers, files);
        } catch (IOException e) {
            if (mount.own.equals(mount.root)) {
                throw e;
            }
            try {
                return makeParent(mount.root, mount.controllers, files);
            } catch (IOException atRoot) {
                e.addSuppressed(atRoot);
                throw e;
            }
        }
    }

    private static Path makeParent(Path above, List<String> controllers, CgroupFiles files) throws IOException {
        Path parent = files.makeRunGroup(above);
        try {
            if (!Files.isWritable(parent.resolve("cgroup.procs"))) {
                throw new IOException("no permission to write " + parent.resolve("cgroup.procs"));
            }
            if (controllers.contains("cpuset")) {
                // A new cpuset is empty and takes no process until both are set.
                files.write(parent.resolve("cpuset.mems"), files.read(above.resolve("cpuset.mems")));
                files.write(parent.resolve("cpuset.cpus"), files.read(above.resolve("cpuset.cpus")));
            }
            return parent;
        } catch (IOException e) {
            files.killAndRemove(parent);
            throw e;
        }
    }

    /** Returns what the kernel refused and why, in words for people. */
    static String reason(IOException e) {
        if (!(e instanceof FileSystemException)) {
            return e.getMessage();
        }
        FileSystemException refused = (FileSystemException) e;
        Path file = Path.of(String.valueOf(refused.getFile()));
        boolean makingGroup = String.valueOf(file.getFileName()).startsWith("lockstep-");
        String what = makingGroup ? "a group in " + file.getParent() : file.toString();
        if (e instanceof AccessDeniedException) {
            return "no permission for " + what;
        }
        String why = refused.getReason() == null ? e.getClass().getSimpleName() : refused.getReason();
        return what + ": " + why;
    }

    /** Removes the groups that killed runs left in all trees. A frozen process dies only after it is thawed. */
    private static void sweep(CgroupMounts mounts, CgroupFiles files) {
        Set<Path> stale = new LinkedHashSet<>();
        for (String controller : WANTED) {
            mounts.v1(controller).ifPresent(mount -> {
                for (Path above : new LinkedHashSet<>(List.of(mount.own, mount.root))) {
                    stale.addAll(files.staleRunGroups(above));
                }
            });
        }
        for (Path parent : stale) {
            files.killAll(parent);
            for (Path group : files.children(parent)) {
                try {
                    files.write(group.resolve("freezer.state"), "THAWED");
                } catch (IOException e) {
                    // Not the freezer's tree.
                }
            }
        }
        stale.forEach(files::killAndRemove);
    }

    @Override
    public String version() {
        return "cgroup v1";
    }

    @Override
    public String whyNotPinned() {
        return reasons.getOrDefault("cpuset", "");
    }

    @Override
    public String whyNotCapped() {
        return reasons.getOrDefault("memory", "");
    }

    @Override
    public String whyNotFrozen() {
        return reasons.getOrDefault("freezer", "");
    }

    @Override
    public String swapRemark() {
        Path memory = parents.get("memory");
        return memory == null || Files.exists(memory.resolve("memory.memsw.limit_in_bytes"))
                ? ""
                : "the kernel does not account swap: only swappiness 0 keeps the target from it";
    }

    @Override
    public ControlGroup create(String name, CpuList cpus, long memoryLimitBytes) throws IOException {
        String folder = name + "." + created.getAndIncrement();
        Map<String, Path> directories = new LinkedHashMap<>();
        parents.forEach((controller, parent) -> directories.put(controller, parent.resolve(folder)));
        ControlGroup group = new ControlGroup(files, directories);
        try {
            for (Path directory : new LinkedHashSet<>(directories.values())) {
                files.makeDirectory(directory);
            }
            Path cpuset = directories.get("cpuset");
            if (cpuset != null) {
                Path above = parents.get("cpuset");
                files.write(cpuset.resolve("cpuset.mems"), files.read(above.resolve("cpuset.mems")));
                String list = cpus == null ? files.read(above.resolve("cpuset.cpus")) : cpus.toString();
                files.write(cpuset.resolve("cpuset.cpus"), list);
            }
            Path memory = directories.get("memory");
            if (memory != null && memoryLimitBytes > 0) {
                files.writeAndCheck(memory.resolve("memory.swappiness"), "0");
                files.write(memory.resolve("memory.limit_in_bytes"), Long.toString(memoryLimitBytes));
                Path withSwap = memory.resolve("memory.memsw.limit_in_bytes");
                if (Files.exists(withSwap)) {
                    // Both are cut to whole pages.
                    files.write(withSwap, Long.toString(memoryLimitBytes));
                    files.writeAndCheck(withSwap, files.read(memory.resolve("memory.limit_in_bytes")));
                }
            }
            return group;
        } catch (IOException e) {
            group.remove();
            throw e;
        }
    }

    @Override
    public void close() {
        new LinkedHashSet<>(parents.values()).forEach(files::killAndRemove);
    }
}
