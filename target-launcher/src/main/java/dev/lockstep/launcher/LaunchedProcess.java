package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A process with its control group and its log, from its start to the removal of the group. Safe to use from any
 * thread.
 */
final class LaunchedProcess implements AutoCloseable {
    private static final long KILL_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long STOP_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    private final List<String> commandLine;
    private final ProcessStarter.Started started;
    private final Process process;
    private final ControlGroup group;
    private final boolean freezer;
    private final TargetLog log;
    private final Duration stopGrace;
    private final Runnable whenClosed;
    private final CompletableFuture<TargetExit> exit = new CompletableFuture<>();
    /** Guards freezing against stopping; stopping is long, so it does not hold it while it waits. */
    private final Object freezeLock = new Object();

    private final Object stopLock = new Object();
    private final OptionalLong memoryLimitBytes;

    private boolean frozen;
    private volatile boolean stopping;
    private volatile boolean removed;
    private volatile OptionalLong memoryPeakBytes = OptionalLong.empty();
    private volatile OptionalLong oomKills = OptionalLong.empty();

    /**
     * @param freezer whether the group can freeze; SIGSTOP stands in otherwise
     * @param whenClosed told once when nothing of the process is left
     */
    LaunchedProcess(
            List<String> commandLine,
            ProcessStarter.Started started,
            ControlGroup group,
            boolean freezer,
            TargetLog log,
            Duration stopGrace,
            Runnable whenClosed) {
        this.commandLine = List.copyOf(commandLine);
        this.started = started;
        this.process = started.process();
        this.group = group;
        this.freezer = freezer;
        this.log = log;
        this.stopGrace = stopGrace;
        this.whenClosed = whenClosed;
        this.memoryLimitBytes = group.memoryLimitBytes();
    }

    /** Returns when it was started, {@link System#nanoTime()}. */
    long startNs() {
        return started.atNs();
    }

    /** Returns the same moment as a date. */
    Instant startInstant() {
        return started.at();
    }

    /** Starts to watch for its end. */
    void watch(String name) {
        Thread watcher = new Thread(this::awaitExit, "lockstep-watch-" + name);
        watcher.setDaemon(true);
        watcher.start();
    }

    private void awaitExit() {
        int code;
        while (true) {
            try {
                code = process.waitFor();
                break;
            } catch (InterruptedException e) {
                // Nobody of ours interrupts this thread; it has nothing else to do.
            }
        }
        boolean stopped = stopping;
        readCounters();
        boolean oomKilled = oomKills.orElse(0) > 0 && code == 128 + 9;
        String kernelLine = null;
        if (oomKilled || code == 128 + 9 && !stopped) {
            String groupName = groupName();
            kernelLine = KernelLog.outOfMemory(process.pid(), groupName).orElse(null);
        }
        exit.complete(new TargetExit(code, stopped, oomKilled || kernelLine != null, kernelLine, log.tail()));
    }

    private String groupName() {
        Path any = group.directories().values().stream().findFirst().orElse(Path.of("none"));
        return any.getParent() == null ? any.toString() : any.getParent().getFileName() + "/" + any.getFileName();
    }

    private void readCounters() {
        if (!removed) {
            OptionalLong peak = group.memoryPeakBytes();
            OptionalLong kills = group.oomKills();
            memoryPeakBytes = peak.isPresent() ? peak : memoryPeakBytes;
            oomKills = kills.isPresent() ? kills : oomKills;
        }
    }

    long pid() {
        return process.pid();
    }

    List<String> commandLine() {
        return commandLine;
    }

    Map<String, Path> controlGroups() {
        Map<String, Path> groups = new LinkedHashMap<>(group.directories());
        // We make none for its CPU time: it is in ours, or a container's, whose quota it shares.
        CgroupMounts.of(process.pid()).cpu().ifPresent(cpu -> groups.put("cpu", cpu));
        return groups;
    }

    OptionalLong memoryLimitBytes() {
        return memoryLimitBytes;
    }

    OptionalLong memoryPeakBytes() {
        readCounters();
        return memoryPeakBytes;
    }

    OptionalLong oomKills() {
        readCounters();
        return oomKills;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    Optional<TargetExit> exit() {
        return Optional.ofNullable(exit.getNow(null));
    }

    CompletableFuture<TargetExit> onExit() {
        return exit.copy();
    }

    TargetLog log() {
        return log;
    }

    Path logFile() {
        return log.file();
    }

    List<String> lastLogLines() {
        return log.tail();
    }

    void freeze() throws IOException {
        synchronized (freezeLock) {
            if (frozen || stopping || !process.isAlive()) {
                return;
            }
            if (freezer) {
                group.freeze();
            } else {
                signal("STOP");
                awaitStopped();
            }
            frozen = true;
        }
    }

    void thaw() throws IOException {
        synchronized (freezeLock) {
            if (!frozen) {
                return;
            }
            frozen = false;
            if (removed || !process.isAlive() && !freezer) {
                return;
            }
            if (freezer) {
                group.thaw();
            } else {
                signal("CONT");
            }
        }
    }

    private void signal(String signal) throws IOException {
        ShortCommand.Result result =
                ShortCommand.run(List.of("sh", "-c", "kill -" + signal + " " + process.pid()), Duration.ofSeconds(5));
        if (result.exitCode() != 0 && process.isAlive()) {
            throw new IOException("kill -" + signal + ": " + result.firstLine());
        }
    }

    /** Every thread takes note of SIGSTOP by itself. */
    private void awaitStopped() throws IOException {
        long deadlineNs = System.nanoTime() + STOP_TIMEOUT_NS;
        while (process.isAlive() && !allThreadsStopped()) {
            if (System.nanoTime() > deadlineNs) {
                signal("CONT");
                throw new IOException("SIGSTOP did not stop all threads within 5 s");
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200));
        }
    }

    private boolean allThreadsStopped() throws IOException {
        Path tasks = Path.of("/proc/" + process.pid() + "/task");
        try (var entries = Files.newDirectoryStream(tasks)) {
            for (Path task : entries) {
                if (!isStopped(task)) {
                    return false;
                }
            }
        } catch (java.nio.file.NoSuchFileException e) {
            // It has ended.
        }
        return true;
    }

    private static boolean isStopped(Path task) {
        try {
            String stat = KernelFile.read(task.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException e) {
            return true;
        }
    }

    /** Stops it and removes its group; the second caller waits for the first. */
    TargetExit stop(Duration grace) {
        synchronized (stopLock) {
            if (removed) {
                return exit.join();
            }
            synchronized (freezeLock) {
                stopping = stopping || process.isAlive();
            }
            List<ProcessHandle> family = process.descendants().collect(Collectors.toList());
            try {
                thaw();
            } catch (IOException e) {
                // SIGKILL and the removal of the group follow in any case.
            }
            process.destroy();
            if (!await(grace.toNanos())) {
                process.destroyForcibly();
                // Only a thread stuck in the kernel can outlast this.
                await(KILL_TIMEOUT_NS);
            }
            family.forEach(ProcessHandle::destroyForcibly);
            TargetExit ended = process.isAlive() ? stuck() : exit.join();
            readCounters();
            removed = true;
            group.remove();
            whenClosed.run();
            return ended;
        }
    }

    private TargetExit stuck() {
        exit.complete(new TargetExit(-1, true, false, "SIGKILL did not end process " + process.pid(), log.tail()));
        return exit.join();
    }

    /** Waits without minding interrupts, which are kept: stopping must not be left half done. */
    private boolean await(long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return process.waitFor(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        stop(stopGrace);
    }
}
