package dev.lockstep.launcher;

import dev.lockstep.monitor.GcLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.immutables.value.Value;

/**
 * A target that answers: a JVM started by {@link TargetLauncher}, or a server attached to. Safe to use from any thread;
 * whoever launched it closes it.
 *
 * <p>Only the address of an attached server is known; everything else is empty.
 */
public final class TargetProcess implements AutoCloseable {
    private final String name;
    private final InetSocketAddress address;
    /** Null for an attached server. */
    private final LaunchedProcess process;

    private final Facts facts;

    /** What was found out about it at its start. Immutable. */
    @Value.Immutable
    interface Facts {
        Facts ATTACHED = ImmutableFacts.builder()
                .proof(JitProof.NONE)
                .isolation("attached to: neither pinned nor capped")
                .gcLog(GcLogFile.absent("it ran already"))
                .build();

        Optional<Jvm> jvm();

        JitProof proof();

        List<String> effectiveFlags();

        /** When the process was started, {@link System#nanoTime()}; the next three count from then. */
        @Value.Default
        default long startNs() {
            return 0;
        }

        OptionalLong jvmReadyNs();

        OptionalLong portOpenNs();

        OptionalLong firstAnswerNs();

        String isolation();

        /** Whether the kernel was told which processors it is to have. */
        @Value.Default
        default boolean pinned() {
            return false;
        }

        Optional<CpuList> cpus();

        GcLogFile gcLog();

        /** Whether another process than what was started listens at its port. */
        @Value.Default
        default boolean servedElsewhere() {
            return false;
        }
    }

    /** @param process null for an attached server */
    TargetProcess(String name, InetSocketAddress address, LaunchedProcess process, Facts facts) {
        this.name = name;
        this.address = address;
        this.process = process;
        this.facts = facts;
    }

    public OptionalLong pid() {
        return process == null ? OptionalLong.empty() : OptionalLong.of(process.pid());
    }

    public InetSocketAddress address() {
        return address;
    }

    public Optional<Jvm> jvm() {
        return facts.jvm();
    }

    /**
     * Returns the proven JIT ("c2", "graal", "openj9", "falcon", "none"). When no profile was asked for, it is the JIT
     * that was found, possibly "unknown".
     */
    public String jit() {
        return facts.proof().jit;
    }

    /** Returns the evidence for {@link #jit()}, one line each. */
    public List<String> jitProof() {
        return facts.proof().evidence;
    }

    /** Returns the command of the application as it was executed. */
    public List<String> commandLine() {
        return process == null ? List.of() : process.commandLine;
    }

    /**
     * Returns the JVM's flags as it printed them at its start: those given and those it chose itself. Only of HotSpot
     * and of JVMs made of it. They come from -XX:+PrintCommandLineFlags, which costs nothing; asking later would
     * disturb the target.
     */
    public List<String> effectiveFlags() {
        return facts.effectiveFlags();
    }

    /** Returns the collector that the flags in effect name, such as "Serial", "G1" or "Z"; absent where none does. */
    public Optional<String> collector() {
        return flag("-XX:\\+Use(\\w+)GC");
    }

    /** Returns the most that the heap may take by the flags in effect; absent where none says so. */
    public OptionalLong maxHeapBytes() {
        return flag("-XX:MaxHeapSize=(\\d+)").stream()
                .mapToLong(Long::parseLong)
                .findFirst();
    }

    private Optional<String> flag(String pattern) {
        Pattern wanted = Pattern.compile(pattern);
        return effectiveFlags().stream()
                .map(wanted::matcher)
                .filter(Matcher::matches)
                .map(found -> found.group(1))
                .findFirst();
    }

    /**
     * Returns the time from the start of the process to the end of the JVM's own initialisation, to half a millisecond
     * more or less; only of JVMs that publish HotSpot's counters.
     */
    public OptionalLong jvmReadyNs() {
        return facts.jvmReadyNs();
    }

    /** Returns the time from the start of the process to the open port, to about 1 ms. */
    public OptionalLong portOpenNs() {
        return facts.portOpenNs();
    }

    /** Returns the time from the start of the process to the first good answer. */
    public OptionalLong firstAnswerNs() {
        return facts.firstAnswerNs();
    }

    /**
     * Follows the log of its garbage collections from its beginning; the caller closes it. Empty where there is none,
     * see {@link #whyNoGcLog}.
     */
    public Optional<GcLog> openGcLog() {
        return facts.gcLog().open(facts.startNs());
    }

    /** Returns why the target writes no log of its garbage collections for us, in one line; empty when it does. */
    public String whyNoGcLog() {
        return facts.gcLog().whyAbsent;
    }

    /** Returns which mechanisms pin, cap and freeze this target, with the reason when one is second best. */
    public String isolation() {
        return facts.isolation();
    }

    /** Whether the kernel was told which processors it is to have. */
    public boolean isPinned() {
        return facts.pinned();
    }

    /**
     * Whether another process than what was started listens at its port, as where a client starts a container: what
     * this one uses is not what serving costs, and it alone is pinned, capped, frozen and stopped. Not known of JVMs
     * with a profile, which are proven otherwise.
     */
    public boolean isServedElsewhere() {
        return facts.servedElsewhere();
    }

    /** Returns the processors as read back from the kernel. */
    public Optional<CpuList> cpus() {
        return facts.cpus();
    }

    /** Returns the memory limit as read back from the kernel; empty when there is none. */
    public OptionalLong memoryLimitBytes() {
        return process == null ? OptionalLong.empty() : process.memoryLimitBytes;
    }

    /** Returns the folders of its control groups by controller: "memory", "cpuset"... (v1) or "unified" (v2). */
    public Map<String, Path> controlGroups() {
        return process == null ? Map.of() : process.controlGroups();
    }

    /**
     * Returns the highest memory use of the control group, the last known value after its end; empty where another
     * process serves.
     */
    public OptionalLong memoryPeakBytes() {
        return process == null || facts.servedElsewhere() ? OptionalLong.empty() : process.memoryPeakBytes();
    }

    /** Returns how much of what it wrote was cut out of its log, in one line; absent where all is kept. */
    public Optional<String> cutOutput() {
        return process == null ? Optional.empty() : process.log.whatIsCut();
    }

    /** Whether {@link #freeze()} works: not for attached targets. */
    public boolean canFreeze() {
        return process != null;
    }

    /**
     * Stops all its threads and returns when they stand still; does nothing when it is frozen or has ended.
     *
     * @throws TargetFailedException when the kernel does not do it; the target goes on then
     * @throws IllegalStateException for an attached target
     */
    public void freeze() {
        if (process == null) {
            throw new IllegalStateException("target " + name + " is attached to and can not be frozen");
        }
        try {
            process.freeze();
        } catch (IOException e) {
            throw new TargetFailedException("target " + name + ": it can not be frozen: " + e.getMessage(), e);
        }
    }

    /**
     * Lets a frozen target go on; does nothing when it is not frozen or has ended.
     *
     * @throws TargetFailedException when the kernel does not do it
     */
    public void thaw() {
        if (process == null) {
            return;
        }
        try {
            process.thaw();
        } catch (IOException e) {
            throw new TargetFailedException("target " + name + ": it can not be thawed: " + e.getMessage(), e);
        }
    }

    /** Whether the process runs; always true for an attached target. */
    public boolean isAlive() {
        return process == null || process.isAlive();
    }

    /** Returns how it ended; empty as long as it runs. */
    public Optional<ProcessExit> exit() {
        return process == null ? Optional.empty() : process.exit();
    }

    /** Returns a future that is completed when it ends, whoever ended it; never for an attached target. */
    public CompletableFuture<ProcessExit> onExit() {
        return process == null ? new CompletableFuture<>() : process.onExit();
    }

    /** Closes several at the same time, since each may take its grace time. */
    public static void closeAll(Collection<TargetProcess> all) {
        LaunchedProcess.closeAll(
                all.stream().map(one -> one.process).filter(Objects::nonNull).collect(Collectors.toList()));
    }

    /**
     * Stops it: SIGTERM, and SIGKILL after the grace time of its {@link LaunchSettings}; then removes its control
     * groups. An attached target is left alone. Idempotent; may be called from any thread.
     */
    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
