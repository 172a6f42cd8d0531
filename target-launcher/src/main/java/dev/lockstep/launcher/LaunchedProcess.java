package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
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
    /** How often it is looked whether its output is too long. */
    private static final long LOOK_MS = 1_000;
    /** Fields of stat, as {@link KernelFile#readStat} has them. */
    private static final int GROUP = 5 - 3;

    private static final int SESSION = 6 - 3;

    final List<String> commandLine;
    final ProcessStarter.Started started;
    private final Process process;
    private final ControlGroup group;
    private final boolean freezer;
    final TargetLog log;
    private final Duration stopGrace;
    private final Runnable whenClosed;
    private final CompletableFuture<ProcessExit> exit = new CompletableFuture<>();
    /** Keeps freezing and stopping apart. Stopping takes long and does not hold this lock while it waits. */
    private final Object freezeLock = new Object();

    private final Object stopLock = new Object();
    final OptionalLong memoryLimitBytes;

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
        this.process = started.process;
        this.group = group;
        this.freezer = freezer;
        this.log = log;
        this.stopGrace = stopGrace;
        this.whenClosed = whenClosed;
        this.memoryLimitBytes = group.memoryLimitBytes();
    }

    /** Starts to watch for its end, and that its output grows not too long. */
    void watch(String name) {
        Thread watcher = new Thread(this::awaitExit, "lockstep-watch-" + name);
        watcher.setDaemon(true);
        watcher.start();
    }

    private void awaitExit() {
        int code;
        while (true) {
            try {
                if (process.waitFor(LOOK_MS, TimeUnit.MILLISECONDS)) {
                    code = process.exitValue();
                    break;
                }
                log.cut();
            } catch (InterruptedException e) {
                // None of our code interrupts this thread.
            }
        }
        boolean stopped = stopping;
        readCounters();
        boolean oomKilled = oomKills.orElse(0) > 0 && code == 128 + 9;
        Optional<String> kernelLine = Optional.empty();
        if (oomKilled || code == 128 + 9 && !stopped) {
            kernelLine = KernelLog.outOfMemory(process.pid(), groupName());
        }
        exit.complete(
                ImmutableProcessExit.of(code, stopped, oomKilled || kernelLine.isPresent(), kernelLine, log.tail()));
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

    Map<String, Path> controlGroups() {
        Map<String, Path> groups = new LinkedHashMap<>(group.directories());
        // We make no group for its CPU time: it runs in ours, or in a container's, and shares that quota.
        CgroupMounts.of(process.pid()).cpu().ifPresent(cpu -> groups.put("cpu", cpu));
        return groups;
    }

    /** Whether it, or what it started, listens at a port; true too where nobody can tell. */
    boolean mayListenAt(int port) {
        List<Long> pids = new ArrayList<>(group.processes());
        pids.add(process.pid());
        family().forEach(one -> pids.add(one.pid()));
        return ListeningPort.mayBeOf(pids, port);
    }

    OptionalLong memoryPeakBytes() {
        readCounters();
        return memoryPeakBytes;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    Optional<ProcessExit> exit() {
        return Optional.ofNullable(exit.getNow(null));
    }

    CompletableFuture<ProcessExit> onExit() {
        return exit.copy();
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
        // Its children as well, where it leads a group of its own.
        String whom = (isOf(process.pid(), GROUP) ? "-" : "") + process.pid();
        ShortCommand.Result result =
                ShortCommand.run(List.of("sh", "-c", "kill -" + signal + " " + whom), Duration.ofSeconds(5));
        if (result.exitCode != 0 && process.isAlive()) {
            throw new IOException("kill -" + signal + ": " + result.firstLine());
        }
    }

    /** Waits until every thread has noticed SIGSTOP. */
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
            return state(task) == 'T';
        } catch (IOException e) {
            return true;
        }
    }

    /** Tells whether it ended by itself and nobody took note yet: the thread that will is late on a busy machine. */
    private boolean hasEnded() {
        try {
            char state = state(Path.of("/proc/" + process.pid()));
            return state == 'Z' || state == 'X';
        } catch (NoSuchFileException e) {
            // Gone, where there is such a folder at all.
            return Files.exists(Path.of("/proc/self"));
        } catch (IOException e) {
            return false;
        }
    }

    private static char state(Path task) throws IOException {
        return KernelFile.readStat(task)[0].charAt(0);
    }

    /** Whether a process is of this one's group or session, as that field of stat has it; not when it has ended. */
    private boolean isOf(long pid, int field) {
        try {
            return Long.parseLong(KernelFile.readStat(Path.of("/proc/" + pid))[field]) == process.pid();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Returns the processes that it started and those that these started, as far as they are of its session: after its
     * end too, when they are children of init.
     */
    private List<ProcessHandle> family() {
        List<ProcessHandle> family = process.descendants().collect(Collectors.toCollection(ArrayList::new));
        boolean isReused = !process.isAlive() && Files.exists(Path.of("/proc/" + process.pid())) && !hasEnded();
        if (!isReused) {
            ProcessHandle.allProcesses()
                    .filter(one -> one.pid() != process.pid() && isOf(one.pid(), SESSION))
                    .forEach(family::add);
        }
        return family;
    }

    /** Closes several at the same time, since each may take its grace time; returns when nothing of them is left. */
    static void closeAll(Collection<LaunchedProcess> all) {
        // A thread for each: the common pool has few on a small machine.
        CompletableFuture.allOf(all.stream()
                        .map(one -> CompletableFuture.runAsync(
                                one::close, task -> new Thread(task, "lockstep-stop").start()))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
    }

    /** Stops it and removes its group; the second caller waits for the first. */
    @Override
    public void close() {
        synchronized (stopLock) {
            if (removed) {
                return;
            }
            synchronized (freezeLock) {
                stopping = stopping || process.isAlive() && !hasEnded();
            }
            List<ProcessHandle> family = family();
            try {
                thaw();
            } catch (IOException e) {
                // SIGKILL and the removal of the group follow in any case.
            }
            process.destroy();
            // Through interrupts: stopping must not be left half done.
            if (!ShortCommand.waitFor(process, stopGrace.toNanos())) {
                process.destroyForcibly();
                // Only a thread stuck in the kernel can outlast this.
                ShortCommand.waitFor(process, KILL_TIMEOUT_NS);
            }
            family.forEach(ProcessHandle::destroyForcibly);
            if (process.isAlive()) {
                String why = "SIGKILL did not end process " + process.pid();
                exit.complete(ImmutableProcessExit.of(-1, true, false, Optional.of(why), log.tail()));
            }
            exit.join();
            readCounters();
            removed = true;
            group.remove();
            whenClosed.run();
        }
    }
}
