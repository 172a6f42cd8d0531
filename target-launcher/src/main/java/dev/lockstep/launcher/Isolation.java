package dev.lockstep.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** By which means one target is pinned, capped and frozen, and the JVM options that stand in for a cap. Immutable. */
final class Isolation {
    private final ControlGroups groups;
    private final ProcessStarter starter;
    private final Optional<CpuList> cpus;
    private final long memoryLimitBytes;
    /** Null when the target is no JVM. */
    private final Jvm jvm;

    Isolation(ControlGroups groups, ProcessStarter starter, Optional<CpuList> cpus, long memoryLimitBytes, Jvm jvm) {
        this.groups = groups;
        this.starter = starter;
        this.cpus = cpus;
        this.memoryLimitBytes = memoryLimitBytes;
        this.jvm = jvm;
    }

    boolean pins() {
        return groups.whyNotPinned().isEmpty() || starter.canPin();
    }

    /**
     * Returns the options that make a JVM keep to the cap where the kernel cannot enforce it. HotSpot sizes its heap as
     * on a machine with that much memory, as it does in a capped group. Other JVMs get half of the cap as heap.
     */
    List<String> jvmOptions() {
        if (memoryLimitBytes == 0 || jvm == null || groups.whyNotCapped().isEmpty()) {
            return List.of();
        }
        return List.of(
                jvm.kind().isHotSpot()
                        ? "-XX:MaxRAM=" + memoryLimitBytes
                        : "-Xmx" + Math.max(1, memoryLimitBytes / 2 / 1024) + "k");
    }

    String describe() {
        String pinning = starter.canPin() ? "pinned by taskset" : "not pinned, for there is no taskset";
        String capping = jvm == null
                ? "memory not capped"
                : "memory capped by the JVM itself (" + String.join(" ", jvmOptions()) + ")";
        String swapping = groups.swapRemark();
        return describe(
                groups, starter, cpus.isPresent() ? pinning : null, memoryLimitBytes > 0 ? capping : null, swapping);
    }

    /** Describes what this machine offers any target. */
    static String describe(ControlGroups groups, ProcessStarter starter) {
        String pinning = starter.canPin() ? "pinning by taskset" : "no pinning, for there is no taskset";
        return describe(groups, starter, pinning, "memory caps by JVM options only", "");
    }

    /**
     * Lists which controllers are used and what stands in for the others.
     *
     * @param pinning what stands in for the cpuset, or null where nothing is pinned
     * @param capping what stands in for a cap, or null where there is none
     * @param swapping what to say of a cap by the kernel, or empty
     */
    private static String describe(
            ControlGroups groups, ProcessStarter starter, String pinning, String capping, String swapping) {
        List<String> used = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        if (pinning != null) {
            add("cpuset", groups.whyNotPinned(), pinning, groups, used, remarks);
        }
        if (capping != null) {
            add("memory", groups.whyNotCapped(), capping, groups, used, remarks);
            if (groups.whyNotCapped().isEmpty() && !swapping.isEmpty()) {
                remarks.add(swapping);
            }
        }
        add("freezer", groups.whyNotFrozen(), "freezing by SIGSTOP", groups, used, remarks);
        List<String> parts = new ArrayList<>();
        // When nothing works, the reason is told once, at the beginning.
        if (nothingWorks(groups)) {
            parts.add("no control groups, because " + groups.whyNotCapped());
        } else if (!used.isEmpty()) {
            parts.add(groups.version() + ": " + String.join(", ", used));
        }
        parts.addAll(remarks);
        if (!starter.remarks().isEmpty()) {
            parts.add(starter.remarks());
        }
        return String.join("; ", parts);
    }

    private static void add(
            String controller,
            String whyNot,
            String instead,
            ControlGroups groups,
            List<String> used,
            List<String> remarks) {
        if (whyNot.isEmpty()) {
            used.add(controller);
        } else {
            remarks.add(instead + (nothingWorks(groups) ? "" : ", because " + whyNot));
        }
    }

    private static boolean nothingWorks(ControlGroups groups) {
        return !groups.whyNotPinned().isEmpty()
                && !groups.whyNotCapped().isEmpty()
                && !groups.whyNotFrozen().isEmpty();
    }
}
