package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Control groups of version 2: one tree for all controllers.
 *
 * <p>A group that holds processes can not hand controllers down (the "no internal processes" rule), and ours holds us.
 * So the parent group is made below the nearest group, from our own upwards, that lets us make groups and hands down
 * most of what we need; for root that is at last the root group, to which the rule does not apply. Controllers that had
 * to be enabled on the way stay enabled, because others may have come to rely on them.
 *
 * <p>Files after the kernel's Documentation/admin-guide/cgroup-v2.rst.
 */
final class ControlGroupsV2 implements ControlGroups {
    private static final List<String> WANTED = List.of("memory", "cpuset");

    private final CgroupFiles files;
    /** Null when no group can be made. */
    private final Path parent;

    private final Set<String> controllers;
    private final String noParentReason;
    private final AtomicInteger created = new AtomicInteger();

    private ControlGroupsV2(CgroupFiles files, Path parent, Set<String> controllers, String noParentReason) {
        this.files = files;
        this.parent = parent;
        this.controllers = controllers;
        this.noParentReason = noParentReason;
    }

    static ControlGroups open(CgroupMounts.Mount mount, CgroupFiles files) {
        List<Path> places = new ArrayList<>();
        for (Path place = mount.own; place != null && place.startsWith(mount.root); place = place.getParent()) {
            places.add(place);
        }
        for (Path place : places) {
            files.staleRunGroups(place).forEach(files::killAndRemove);
        }
        Path best = null;
        Set<String> bestControllers = Set.of();
        String reason = "";
        for (Path place : places) {
            try {
                Path parent = makeParent(place, files);
                Set<String> controllers = enable(place, parent, files);
                if (best == null || controllers.size() > bestControllers.size()) {
                    if (best != null) {
                        files.killAndRemove(best);
                    }
                    best = parent;
                    bestControllers = controllers;
                } else {
                    files.killAndRemove(parent);
                }
                if (bestControllers.size() == WANTED.size()) {
                    break;
                }
            } catch (IOException e) {
                reason = reason.isEmpty() ? "cgroup v2: " + ControlGroupsV1.reason(e) : reason;
            }
        }
        return new ControlGroupsV2(files, best, bestControllers, reason);
    }

    private static Path makeParent(Path place, CgroupFiles files) throws IOException {
        Path parent = files.makeRunGroup(place);
        // To move a process in, the kernel demands write access to the nearest common ancestor as well.
        Path join = place.resolve("cgroup.procs");
        if (!Files.isWritable(parent.resolve("cgroup.procs")) || !Files.isWritable(join)) {
            files.killAndRemove(parent);
            throw new IOException("no permission to write " + join);
        }
        return parent;
    }

    /** Returns those of the wanted controllers that groups below the parent will have. */
    private static Set<String> enable(Path place, Path parent, CgroupFiles files) {
        Set<String> enabled = new LinkedHashSet<>();
        for (String controller : WANTED) {
            if (handDown(place, controller, files) && handDown(parent, controller, files)) {
                enabled.add(controller);
            }
        }
        return enabled;
    }

    private static boolean handDown(Path group, String controller, CgroupFiles files) {
        Path control = group.resolve("cgroup.subtree_control");
        if (words(files.find(control).orElse("")).contains(controller)) {
            return true;
        }
        if (!has(group, controller, files)) {
            return false;
        }
        try {
            files.write(control, "+" + controller);
            return true;
        } catch (IOException e) {
            // Processes in the group, or no permission; the next place may do.
            return false;
        }
    }

    private static boolean has(Path group, String controller, CgroupFiles files) {
        return words(files.find(group.resolve("cgroup.controllers")).orElse("")).contains(controller);
    }

    private static Set<String> words(String text) {
        return new LinkedHashSet<>(List.of(text.split("\\s+")));
    }

    @Override
    public String version() {
        return "cgroup v2";
    }

    private String whyNot(String controller) {
        if (parent == null) {
            return noParentReason;
        }
        if (controllers.contains(controller)) {
            return "";
        }
        Path place = parent.getParent();
        // As of a container whose first process is in the only group that it sees.
        return has(place, controller, files) && !files.processes(place).isEmpty()
                ? "cgroup v2: " + place + " holds processes and so hands down no controller '" + controller + "'"
                : "cgroup v2: controller '" + controller + "' is not delegated to " + place;
    }

    @Override
    public String whyNotPinned() {
        return whyNot("cpuset");
    }

    @Override
    public String whyNotCapped() {
        return whyNot("memory");
    }

    @Override
    public String whyNotFrozen() {
        if (parent == null) {
            return noParentReason;
        }
        return Files.exists(parent.resolve("cgroup.freeze")) ? "" : "cgroup v2: this kernel has no cgroup.freeze";
    }

    @Override
    public String swapRemark() {
        return "";
    }

    @Override
    public ControlGroup create(String name, CpuList cpus, long memoryLimitBytes) throws IOException {
        if (parent == null) {
            return new ControlGroup(files, Map.of());
        }
        Path directory = parent.resolve(name + "." + created.getAndIncrement());
        files.makeDirectory(directory);
        ControlGroup group = ControlGroup.unified(files, directory);
        try {
            if (cpus != null && controllers.contains("cpuset")) {
                files.write(directory.resolve("cpuset.cpus"), cpus.toString());
            }
            if (memoryLimitBytes > 0 && controllers.contains("memory")) {
                files.write(directory.resolve("memory.max"), Long.toString(memoryLimitBytes));
                Path swap = directory.resolve("memory.swap.max");
                // Not there when the kernel has no swap support; then there is nothing to keep off.
                if (Files.exists(swap)) {
                    files.writeAndCheck(swap, "0");
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
        if (parent != null) {
            files.killAndRemove(parent);
        }
    }
}
