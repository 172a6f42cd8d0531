package dev.lockstep.net;

import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Puts the event loops of this JVM on processors of their own, one each, and all its other threads (compiler, garbage
 * collector, the caller's) elsewhere, or behind them: on the loop's processor a compiler thread would make sends late
 * by the length of a time slice, some milliseconds.
 *
 * <p>The threads that collect garbage and run safepoints go with the loops: they work while the loops wait for them, so
 * a busy processor of the others, or a low priority, would make every pause longer.
 *
 * <p>Where the other threads have processors of their own, the loops get the highest priority (nice -20, which takes
 * CAP_SYS_NICE). Where they have none but the loops', those that work much get the lowest (nice 19) and the loops stay
 * as they are: with a loop at -20 that never sleeps, a compiler thread would get a five thousandth of the processor,
 * and the loop's code would stay interpreted. Processes that are started by threads moved here inherit place and
 * priority, so start them before.
 *
 * <p>Where the kernel makes a group of each session (autogroup), a nice value counts within the session only: with
 * other sessions a loop at -20 shares a processor evenly. So the group of this session is raised too, which takes
 * CAP_SYS_NICE as well. A group's weight is spread over the processors by the load it has there, and the loops have
 * most of it: what other threads of the session do elsewhere gains little. A process that no session was ever made for
 * (a child of a container's first process, say) has no such group: its threads compete with the groups themselves, and
 * their nice values are enough.
 *
 * <p>Nothing here throws: what is not permitted or not possible is said by {@link #warnings} and left as it is. Used by
 * one thread, {@link #placeLoop} on each loop's own.
 */
public final class ThreadPlacement implements AutoCloseable {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final Path SELF = Path.of("/proc/thread-self");
    private static final Path GROUP = Path.of("/proc/self/autogroup");
    private static final Path GROUPS_ARE_MADE = Path.of("/proc/sys/kernel/sched_autogroup_enabled");
    private static final int HIGHEST = -20;
    private static final int LOWEST = 19;
    /** Room for 8192 processors, as many as Linux can have. */
    private static final int MASK_LONGS = 128;

    private static final int NICE_FIELD_BEHIND_NAME = 16;

    /** Names of HotSpot's threads; the kernel keeps 15 characters of a name. */
    private static final List<String> PAUSE_LOOPS = List.of("VM Thread", "GC Thread");

    private static final List<String> WORK_MUCH = List.of("C1 Compiler", "C2 Compiler", "lockstep-digest");

    private final List<Integer> loopCpus;
    private final List<Integer> otherCpus;
    private final boolean lowerOthers;
    private final Set<Integer> loops = new LinkedHashSet<>();
    /** The processors that each moved thread had, as masks. */
    private final Map<Integer, long[]> cpusBefore = new HashMap<>();

    private final Map<Integer, Integer> niceBefore = new HashMap<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    /** The priority of this session's group before it was raised, as the kernel writes it; null where it was not. */
    private String groupBefore;

    private ThreadPlacement(List<Integer> loopCpus, List<Integer> otherCpus, boolean lowerOthers) {
        this.loopCpus = List.copyOf(loopCpus);
        this.otherCpus = List.copyOf(otherCpus);
        this.lowerOthers = lowerOthers;
    }

    /** Leaves every thread where it is. */
    public static ThreadPlacement none() {
        return new ThreadPlacement(List.of(), List.of(), false);
    }

    /**
     * @param loopCpus a processor for each loop
     * @param otherCpus the processors of all other threads; empty where they have none but the loops'
     * @param lowerOthers whether {@link #lowerOthers} does anything
     */
    public static ThreadPlacement of(List<Integer> loopCpus, List<Integer> otherCpus, boolean lowerOthers) {
        return new ThreadPlacement(loopCpus, otherCpus, lowerOthers);
    }

    /** Whether loops have processors of their own; else targets may run on theirs. */
    public boolean hasLoopProcessors() {
        return !loopCpus.isEmpty();
    }

    /** Places the calling thread, which is the index-th loop's. */
    public synchronized void placeLoop(int index) {
        if (index >= loopCpus.size()) {
            return;
        }
        attempt(() -> {
            int threadId =
                    Integer.parseInt(Files.readSymbolicLink(SELF).getFileName().toString());
            loops.add(threadId);
            pin(threadId, List.of(loopCpus.get(index)));
            if (!otherCpus.isEmpty()) {
                prioritise(threadId, HIGHEST);
            }
        });
    }

    /** Raises the group of this session, and moves all threads but the loops; those that they start later follow. */
    public synchronized void placeOthers() {
        if (!loopCpus.isEmpty()) {
            raiseGroup();
        }
        if (otherCpus.isEmpty()) {
            return;
        }
        forOthers((threadId, name) -> {
            boolean pausesLoops = startsWithOneOf(name, PAUSE_LOOPS);
            pin(threadId, pausesLoops ? loopCpus : otherCpus);
            if (pausesLoops) {
                prioritise(threadId, HIGHEST);
            }
        });
    }

    /**
     * Lets the other threads that work much, and the caller, give way to all else on their processors, where that is
     * wanted. Not before the loops' code is compiled: a compiler that gets no time leaves them slow.
     */
    public synchronized void lowerOthers() {
        if (lowerOthers) {
            int caller = ownThreadId();
            forOthers((threadId, name) -> {
                if (threadId == caller || startsWithOneOf(name, WORK_MUCH)) {
                    prioritise(threadId, LOWEST);
                }
            });
        }
    }

    private void raiseGroup() {
        try {
            if (groupBefore == null && Files.readString(GROUPS_ARE_MADE).strip().equals("1")) {
                String group = Files.readString(GROUP).strip();
                // Empty: in no group. Writing would fail with EINVAL.
                if (!group.isEmpty()) {
                    writeGroup(Integer.toString(HIGHEST));
                    groupBefore = group.substring(group.lastIndexOf(' ') + 1);
                }
            }
        } catch (NoSuchFileException e) {
            // A kernel without such groups.
        } catch (IOException e) {
            warnings.add("the replayer's session has no raised priority, so other sessions can make sends late: "
                    + GROUP + ": " + FileFailure.reason(e) + "; grant CAP_SYS_NICE");
        }
    }

    private static void writeGroup(String nice) throws IOException {
        Files.writeString(GROUP, nice, StandardOpenOption.WRITE);
    }

    private void forOthers(BiConsumer<Integer, String> move) {
        attempt(() -> {
            for (int threadId : threads()) {
                if (!loops.contains(threadId)) {
                    move.accept(threadId, name(threadId));
                }
            }
        });
    }

    /** What could not be done, a line each. */
    public synchronized List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** Gives the threads that are left their places and priorities back, where that is permitted. */
    @Override
    public synchronized void close() {
        if (cpusBefore.isEmpty() && niceBefore.isEmpty() && groupBefore == null) {
            return;
        }
        Set<String> told = new LinkedHashSet<>(warnings);
        attempt(() -> {
            if (groupBefore != null) {
                writeGroup(groupBefore);
                groupBefore = null;
            }
        });
        attempt(() -> {
            for (int threadId : threads()) {
                long[] cpus = cpusBefore.get(threadId);
                if (cpus != null) {
                    move(threadId, cpus);
                } else if (!otherCpus.isEmpty() && !cpusBefore.isEmpty()) {
                    // It began since, with the place of the thread that began it.
                    move(threadId, allBefore());
                }
                Integer before = niceBefore.get(threadId);
                if (before != null) {
                    prioritise(threadId, before);
                }
            }
        });
        warnings.retainAll(told);
    }

    private interface Step {
        void run() throws IOException;
    }

    private void attempt(Step step) {
        try {
            step.run();
        } catch (IOException | NumberFormatException e) {
            warnings.add("the replayer's threads are not placed: /proc says " + e);
        } catch (UnsatisfiedLinkError | NoClassDefFoundError e) {
            warnings.add("the replayer's threads are not placed: JNA's native part cannot be loaded ("
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse("no reason given")
                    + "); name a directory that it may be unpacked to and run from: -Djna.tmpdir=DIR");
        }
    }

    /** Returns the calling thread's id, -1 on other systems than Linux. */
    private static int ownThreadId() {
        try {
            return Integer.parseInt(Files.readSymbolicLink(SELF).getFileName().toString());
        } catch (IOException e) {
            return -1;
        }
    }

    /** Returns a thread's name, as far as the kernel knows it; empty where it has ended. */
    private static String name(int threadId) {
        try {
            return Files.readString(TASKS.resolve(Integer.toString(threadId)).resolve("comm"))
                    .strip();
        } catch (IOException e) {
            return "";
        }
    }

    private static boolean startsWithOneOf(String name, List<String> beginnings) {
        return beginnings.stream().anyMatch(name::startsWith);
    }

    private static List<Integer> threads() throws IOException {
        List<Integer> threads = new ArrayList<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                threads.add(Integer.parseInt(task.getFileName().toString()));
            }
        }
        return threads;
    }

    private long[] allBefore() {
        long[] all = new long[MASK_LONGS];
        for (long[] mask : cpusBefore.values()) {
            for (int i = 0; i < all.length; i++) {
                all[i] |= mask[i];
            }
        }
        return all;
    }

    private void pin(int threadId, List<Integer> cpus) {
        long[] mask = new long[MASK_LONGS];
        for (int cpu : cpus) {
            if (cpu < MASK_LONGS * Long.SIZE) {
                mask[cpu / Long.SIZE] |= 1L << cpu % Long.SIZE;
            }
        }
        if (!cpusBefore.containsKey(threadId)) {
            long[] before = new long[MASK_LONGS];
            try {
                ThreadCalls.sched_getaffinity(threadId, new NativeLong((long) MASK_LONGS * Long.BYTES), before);
                cpusBefore.put(threadId, before);
            } catch (LastErrorException e) {
                failed(e, "the replayer's threads are not all on their processors");
                return;
            }
        }
        move(threadId, mask);
    }

    private void move(int threadId, long[] mask) {
        try {
            ThreadCalls.sched_setaffinity(threadId, new NativeLong((long) MASK_LONGS * Long.BYTES), mask);
        } catch (LastErrorException e) {
            failed(e, "the replayer's threads are not all on their processors");
        }
    }

    private void prioritise(int threadId, int nice) {
        try {
            int before = nice(threadId);
            if (before != nice) {
                ThreadCalls.setpriority(ThreadCalls.PRIO_PROCESS, threadId, nice);
                niceBefore.putIfAbsent(threadId, before);
            }
        } catch (LastErrorException e) {
            failed(e, "the replayer's event loops have no raised priority");
        } catch (IOException e) {
            // The thread has ended since it was listed.
        }
    }

    private void failed(LastErrorException e, String what) {
        switch (e.getErrorCode()) {
            case ThreadCalls.ESRCH:
                // The thread has ended since it was listed.
                return;
            case ThreadCalls.EPERM:
            case ThreadCalls.EACCES:
                warnings.add(what + ": not permitted; grant CAP_SYS_NICE, or expect later sends");
                return;
            case ThreadCalls.EINVAL:
                warnings.add(what + ": this process may not use them");
                return;
            default:
                warnings.add(what + ": error " + e.getErrorCode());
        }
    }

    /** A thread's priority, -20 to 19. */
    static int nice(int threadId) throws IOException {
        String stat = Files.readString(TASKS.resolve(Integer.toString(threadId)).resolve("stat"));
        return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[NICE_FIELD_BEHIND_NAME]);
    }
}
