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
     * Returns the options that make a JVM keep to the cap by itself where the kernel can not. HotSpot sizes its heap as
     * on a machine with that much memory, which is what it does in a capped group; the others get half of it as heap.
     */
    List<String> jvmOptions() {
        if (memoryLimitBytes == 0 || jvm == null || groups.whyNotCapped().isEmpty()) {
            return List.of();
        }
        switch (jvm.kind()) {
            case HOTSPOT:
            case GRAALVM:
            case ZERO:
                return List.of("-XX:MaxRAM=" + memoryLimitBytes);
            default:
                return List.of("-Xmx" + Math.max(1, memoryLimitBytes / 2 / 1024) + "k");
        }
    }

    String describe() {
        List<String> used = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        if (cpus.isPresent()) {
            String why = groups.whyNotPinned();
            if (why.isEmpty()) {
                used.add("cpuset");
            } else if (starter.canPin()) {
                remarks.add("pinned by taskset" + because(groups, why));
            } else {
                remarks.add("not pinned, for there is no taskset" + because(groups, why));
            }
        }
        if (memoryLimitBytes > 0) {
            String why = groups.whyNotCapped();
            if (why.isEmpty()) {
                used.add("memory");
                if (!groups.swapRemark().isEmpty()) {
                    remarks.add(groups.swapRemark());
                }
            } else if (jvm == null) {
                remarks.add("memory not capped" + because(groups, why));
            } else {
                remarks.add("memory capped by the JVM itself (" + String.join(" ", jvmOptions()) + ")"
                        + because(groups, why));
            }
        }
        freezing(groups, used, remarks);
        return joined(groups, used, remarks, starter);
    }

    /** Describes what this machine offers any target. */
    static String describe(ControlGroups groups, ProcessStarter starter) {
        List<String> used = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        String whyNotPinned = groups.whyNotPinned();
        if (whyNotPinned.isEmpty()) {
            used.add("cpuset");
        } else {
            remarks.add((starter.canPin() ? "pinning by taskset" : "no pinning, for there is no taskset")
                    + because(groups, whyNotPinned));
        }
        String whyNotCapped = groups.whyNotCapped();
        if (whyNotCapped.isEmpty()) {
            used.add("memory");
        } else {
            remarks.add("memory caps by JVM options only" + because(groups, whyNotCapped));
        }
        freezing(groups, used, remarks);
        return joined(groups, used, remarks, starter);
    }

    private static void freezing(ControlGroups groups, List<String> used, List<String> remarks) {
        String why = groups.whyNotFrozen();
        if (why.isEmpty()) {
            used.add("freezer");
        } else {
            remarks.add("freezing by SIGSTOP" + because(groups, why));
        }
    }

    private static boolean nothingWorks(ControlGroups groups) {
        return !groups.whyNotPinned().isEmpty()
                && !groups.whyNotCapped().isEmpty()
                && !groups.whyNotFrozen().isEmpty();
    }

    /** Where nothing works the reason is told once, at the beginning. */
    private static String because(ControlGroups groups, String reason) {
        return nothingWorks(groups) ? "" : ", because " + reason;
    }

    private static String joined(
            ControlGroups groups, List<String> used, List<String> remarks, ProcessStarter starter) {
        List<String> parts = new ArrayList<>();
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
}
