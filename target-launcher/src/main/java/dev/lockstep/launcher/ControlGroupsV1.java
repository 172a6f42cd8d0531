package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Control groups of version 1: a tree for each controller, any of which may be closed to us.
 *
 * <p>Files after the kernel's Documentation/admin-guide/cgroup-v1: memory.rst, cpusets.rst, freezer-subsystem.rst.
 */
final class ControlGroupsV1 implements ControlGroups {
    /** What we use: the caps, and the exact CPU time of the group. */
    private static final List<String> WANTED = List.of("freezer", "cpuset", "memory", "cpuacct");

    private static final long FREEZE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

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
                mount.get().controllers().forEach(shared -> parents.put(shared, parent));
            } catch (IOException e) {
                reasons.put(controller, "cgroup v1 controller '" + controller + "': " + reason(e));
            }
        }
        return new ControlGroupsV1(files, parents, reasons);
    }

    /** Below our own group, or below the root where our own is not ours to divide. */
    private static Path makeParent(CgroupMounts.Mount mount, CgroupFiles files) throws IOException {
        try {
            return makeParent(mount.own(), mount.controllers(), files);
        } catch (IOException e) {
            if (mount.own().equals(mount.root())) {
                throw e;
            }
            try {
                return makeParent(mount.root(), mount.controllers(), files);
            } catch (IOException atRoot) {
                e.addSuppressed(atRoot);
                throw e;
            }
        }
    }

    private static Path makeParent(Path above, List<String> controllers, CgroupFiles files) throws IOException {
        for (int count = 0; ; count++) {
            Path parent = above.resolve(RunGroupName.own(count));
            try {
                files.makeDirectory(parent);
            } catch (FileAlreadyExistsException e) {
                continue;
            }
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

    /** Removes what killed runs have left, in all trees: a frozen process dies only after it is thawed. */
    private static void sweep(CgroupMounts mounts, CgroupFiles files) {
        Set<Path> stale = new LinkedHashSet<>();
        for (String controller : WANTED) {
            mounts.v1(controller).ifPresent(mount -> {
                for (Path above : new LinkedHashSet<>(List.of(mount.own(), mount.root()))) {
                    for (Path group : files.children(above)) {
                        if (RunGroupName.isStale(group.getFileName().toString())) {
                            stale.add(group);
                        }
                    }
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
        Group group = new Group(files, directories);
        try {
            for (Map.Entry<String, Path> parent : parents.entrySet()) {
                Path directory = parent.getValue().resolve(folder);
                if (!directories.containsValue(directory)) {
                    files.makeDirectory(directory);
                }
                directories.put(parent.getKey(), directory);
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

    private static final class Group implements ControlGroup {
        /** A limit as high as this is the kernel's way to say none. */
        private static final long NO_LIMIT = Long.MAX_VALUE / 2;

        private final CgroupFiles files;
        private final Map<String, Path> directories;

        Group(CgroupFiles files, Map<String, Path> directories) {
            this.files = files;
            this.directories = directories;
        }

        @Override
        public List<Path> joinFiles() {
            List<Path> join = new ArrayList<>();
            for (Path directory : new LinkedHashSet<>(directories.values())) {
                join.add(directory.resolve("cgroup.procs"));
            }
            return join;
        }

        @Override
        public Map<String, Path> directories() {
            return Map.copyOf(directories);
        }

        @Override
        public OptionalLong memoryLimitBytes() {
            Path memory = directories.get("memory");
            OptionalLong limit =
                    memory == null ? OptionalLong.empty() : files.number(memory.resolve("memory.limit_in_bytes"));
            return limit.isPresent() && limit.getAsLong() > NO_LIMIT ? OptionalLong.empty() : limit;
        }

        @Override
        public OptionalLong memoryPeakBytes() {
            Path memory = directories.get("memory");
            return memory == null ? OptionalLong.empty() : files.number(memory.resolve("memory.max_usage_in_bytes"));
        }

        @Override
        public OptionalLong oomKills() {
            Path memory = directories.get("memory");
            return memory == null
                    ? OptionalLong.empty()
                    : files.number(memory.resolve("memory.oom_control"), "oom_kill");
        }

        @Override
        public void freeze() throws IOException {
            Path state = directories.get("freezer").resolve("freezer.state");
            long deadlineNs = System.nanoTime() + FREEZE_TIMEOUT_NS;
            do {
                // Writing it again makes the kernel try again with processes that could not be stopped at first.
                files.write(state, "FROZEN");
                for (int i = 0; i < 20; i++) {
                    if (files.read(state).equals("FROZEN")) {
                        return;
                    }
                    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200));
                }
            } while (System.nanoTime() < deadlineNs);
            thaw();
            throw new IOException(state + " did not become FROZEN within 5 s");
        }

        @Override
        public void thaw() throws IOException {
            Path freezer = directories.get("freezer");
            if (freezer != null) {
                files.write(freezer.resolve("freezer.state"), "THAWED");
            }
        }

        @Override
        public void remove() {
            Set<Path> groups = new LinkedHashSet<>(directories.values());
            groups.forEach(files::killAll);
            try {
                thaw();
            } catch (IOException e) {
                // Gone already.
            }
            groups.forEach(files::killAndRemove);
        }
    }
}
