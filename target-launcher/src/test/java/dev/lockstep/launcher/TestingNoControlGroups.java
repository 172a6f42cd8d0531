package dev.lockstep.launcher;

import java.util.Map;

/** Stands for a machine that lets us use no control group. */
final class TestingNoControlGroups implements ControlGroups {
    private final String reason;

    TestingNoControlGroups(String reason) {
        this.reason = reason;
    }

    @Override
    public String version() {
        return "cgroup v0";
    }

    @Override
    public String whyNotPinned() {
        return reason;
    }

    @Override
    public String whyNotCapped() {
        return reason;
    }

    @Override
    public String whyNotFrozen() {
        return reason;
    }

    @Override
    public String swapRemark() {
        return "";
    }

    @Override
    public ControlGroup create(String name, CpuList cpus, long memoryLimitBytes) {
        return new ControlGroup(new CgroupFiles(), Map.of());
    }

    @Override
    public void close() {}
}
