package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

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
        return new ControlGroup() {
            @Override
            public List<Path> joinFiles() {
                return List.of();
            }

            @Override
            public Map<String, Path> directories() {
                return Map.of();
            }

            @Override
            public OptionalLong memoryLimitBytes() {
                return OptionalLong.empty();
            }

            @Override
            public OptionalLong memoryPeakBytes() {
                return OptionalLong.empty();
            }

            @Override
            public OptionalLong oomKills() {
                return OptionalLong.empty();
            }

            @Override
            public void freeze() throws IOException {
                throw new IOException(reason);
            }

            @Override
            public void thaw() throws IOException {
                throw new IOException(reason);
            }

            @Override
            public void remove() {}
        };
    }

    @Override
    public void close() {}
}
