package dev.lockstep.launcher;

import dev.lockstep.monitor.CpuQuota;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which processors the replayer and the targets get. Immutable except for the pin of this process, which one thread
 * sets and takes away.
 *
 * <p>By default the replayer gets the first core and the targets the rest, with the hyperthreads of a core kept
 * together: two programs on one core slow each other down by amounts that no result shows. With one core all share it,
 * and a {@link #warnings() warning} says so.
 *
 * <p>The user's wish ({@code --cores}) has the form {@code replayer=0/targets=1-3}, short {@code 0/1-3}. Processors are
 * written as in cpuset(7). A target can be given its own by name, {@code replayer=0/c2=1/graal=2}; then every target
 * needs one. The parts are joined by a slash because a shell gives it no meaning, unlike a semicolon.
 */
public final class Cores {
    /** A process takes seconds to start where dozens of others want the processors. */
    private static final Duration MOVE_TIMEOUT = Duration.ofSeconds(60);

    private static final int MOST_MOVES = 4;
    private static final String UNLIKE = "the cores are not alike";
    private static final Path SELF_STATUS = Path.of("/proc/self/status");
    private static final Path SYSTEM = Path.of("/sys/devices/system/cpu");

    private final CpuList replayer;
    private final CpuList targets;
    /** One set for each target, disjoint and of equal size; empty when they can not run together. */
    private final List<CpuList> shares;
    /** Whether the user fixed which target gets which processors. */
    private final boolean fixed;

    private final String why;
    private final List<String> warnings;
    /** What this process had before it was pinned; null while it is not pinned. */
    private CpuList beforePin;

    private Cores(
            CpuList replayer, CpuList targets, List<CpuList> shares, boolean fixed, String why, List<String> warnings) {
        this.replayer = replayer;
        this.targets = targets;
        this.shares = List.copyOf(shares);
        this.fixed = fixed;
        this.why = why;
        this.warnings = List.copyOf(warnings);
    }

    /**
     * Splits the processors that this process may use.
     *
     * @param wish the user's {@code --cores}, or null
     * @param targets names of the targets, in order
     * @throws IllegalArgumentException when the wish is not of the form above, names an unknown target or a processor
     *     that this process may not use
     */
    public static Cores plan(String wish, List<String> targets) {
        CpuList allowed = allowed();
        return plan(wish, targets, allowed, coresOf(allowed, SYSTEM))
                .alikeOnly(SYSTEM)
                .warnedOf(isolated())
                .warnedOf(CgroupMounts.read().cpuQuota());
    }

    /**
     * The same for these targets. If all of them run already, only a wish can say where: without one nothing is warned
     * of.
     */
    public static Cores planFor(String wish, List<TargetSpec> targets) {
        CpuList allowed = allowed();
        Cores split = planFor(wish, targets, allowed, coresOf(allowed, SYSTEM), isolated());
        return areElsewhere(targets)
                ? split
                : split.alikeOnly(SYSTEM).warnedOf(CgroupMounts.read().cpuQuota());
    }

    /** The same for any machine. */
    static Cores planFor(
            String wish, List<TargetSpec> targets, CpuList allowed, List<CpuList> cores, CpuList isolated) {
        Cores split = plan(wish, targets.stream().map(TargetSpec::name).collect(Collectors.toList()), allowed, cores)
                .warnedOf(isolated);
        return isNone(wish) && areElsewhere(targets) ? split.withoutWarnings() : split;
    }

    private static boolean areElsewhere(List<TargetSpec> targets) {
        return targets.stream().allMatch(target -> target.attachAddress().isPresent());
    }

    /**
     * The same for any machine.
     *
     * @param allowed processors that may be used
     * @param cores their grouping: each element holds the hyperthreads of one core, in rising order
     */
    static Cores plan(String wish, List<String> targets, CpuList allowed, List<CpuList> cores) {
        return isNone(wish) ? byDefault(targets.size(), allowed, cores) : asWished(wish, targets, allowed, cores);
    }

    /** Returns this split with a warning where a target gets several of these processors. */
    Cores warnedOf(CpuList isolated) {
        List<CpuList> each = shares.isEmpty() ? List.of(targets) : shares;
        Optional<CpuList> several =
                each.stream().map(isolated::and).filter(own -> own.size() > 1).findFirst();
        return several.isEmpty()
                ? this
                : with("processors " + several.get()
                        + " of a target are isolated (isolcpus): the kernel moves no thread"
                        + " from one of them to another, and all of the target's may run on the first; give it one of"
                        + " them, or others, by --cores");
    }

    /** Returns this split with a warning where a CPU quota grants less than all its processors. */
    Cores warnedOf(Optional<CpuQuota> quota) {
        int all = replayer.plus(targets).size();
        if (quota.isEmpty() || quota.get().processors() >= all) {
            return this;
        }
        int granted = (int) quota.get().processors();
        return with(String.format(
                Locale.ROOT,
                "a CPU quota grants Lockstep and the targets that it starts the time of %.2f processors together (%s), and"
                        + " they run on %d: when it is used up the kernel stops them all, and requests wait; raise it to"
                        + " %d%s",
                quota.get().processors(),
                quota.get().file(),
                all,
                all,
                granted < 2 ? "" : ", or give them " + granted + " processors in all by --cores"));
    }

    private Cores with(String warning) {
        List<String> more = new ArrayList<>(warnings);
        more.add(warning);
        return new Cores(replayer, targets, shares, fixed, why, more);
    }

    /**
     * Returns this split, in which targets do not run together where one of them would have slower cores than another.
     *
     * @param system the folder of the kernel's files on processors
     */
    Cores alikeOnly(Path system) {
        boolean alike =
                shares.stream().map(share -> kinds(share, system)).distinct().count() < 2;
        return alike ? this : new Cores(replayer, targets, List.of(), fixed, UNLIKE, warnings);
    }

    /** Returns the kinds of these processors, sorted: which are E-cores of x86, and the capacity that arm64 says. */
    private static List<String> kinds(CpuList cpus, Path system) {
        CpuList efficient =
                list(system.getParent().resolveSibling("cpu_atom/cpus")).orElseGet(CpuList::of);
        List<String> kinds = new ArrayList<>();
        for (int cpu : cpus.toList()) {
            kinds.add(efficient.contains(cpu) + " " + capacity(system.resolve("cpu" + cpu)));
        }
        Collections.sort(kinds);
        return kinds;
    }

    private static String capacity(Path processor) {
        try {
            return KernelFile.read(processor.resolve("cpu_capacity")).trim();
        } catch (IOException e) {
            return "";
        }
    }

    private static boolean isNone(String wish) {
        return wish == null || wish.isBlank();
    }

    private Cores withoutWarnings() {
        return new Cores(replayer, targets, shares, fixed, why, List.of());
    }

    private static Cores byDefault(int targetCount, CpuList allowed, List<CpuList> cores) {
        CpuList replayer = cores.get(0);
        CpuList targets = allowed.minus(replayer);
        if (targets.isEmpty()) {
            return new Cores(
                    allowed,
                    allowed,
                    List.of(),
                    false,
                    "one core only",
                    List.of("the replayer shares processor " + allowed
                            + " with the targets, because this process may use one core only: latencies include the"
                            + " replayer's own work"));
        }
        return divided(replayer, targets, targetCount, cores.subList(1, cores.size()), List.of());
    }

    private static Cores divided(
            CpuList replayer, CpuList targets, int targetCount, List<CpuList> targetCores, List<String> warnings) {
        int each = targetCount == 0 ? 0 : targetCores.size() / targetCount;
        if (each == 0) {
            String why = targetCores.size() + (targetCores.size() == 1 ? " core for " : " cores for ") + targetCount
                    + " targets";
            return new Cores(replayer, targets, List.of(), false, why, warnings);
        }
        List<CpuList> shares = new ArrayList<>();
        for (int target = 0; target < targetCount; target++) {
            CpuList share = CpuList.of();
            for (CpuList core : targetCores.subList(target * each, (target + 1) * each)) {
                share = share.plus(core);
            }
            shares.add(share);
        }
        if (shares.stream().mapToInt(CpuList::size).distinct().count() > 1) {
            // Some cores have hyperthreads and some do not, or a mask leaves out one thread of a core.
            return new Cores(replayer, targets, List.of(), false, UNLIKE, warnings);
        }
        String why = each == 1 ? "a core for each target" : each + " cores for each target";
        return new Cores(replayer, targets, shares, false, why, warnings);
    }

    private static Cores asWished(String wish, List<String> targets, CpuList allowed, List<CpuList> cores) {
        Map<String, CpuList> parts = parts(wish);
        CpuList replayer = parts.remove("replayer");
        CpuList all = parts.remove("targets");
        if (replayer == null) {
            throw wrong(wish, "the part replayer=LIST is missing");
        }
        CpuList named = CpuList.of();
        List<CpuList> shares = new ArrayList<>();
        for (String target : targets) {
            CpuList share = parts.remove(target);
            if (share != null) {
                shares.add(share);
                named = named.plus(share);
            }
        }
        if (!parts.isEmpty()) {
            throw wrong(
                    wish,
                    "'" + parts.keySet().iterator().next() + "' is neither replayer nor targets nor one of the targets "
                            + targets);
        }
        if (all == null && shares.size() < targets.size() || all != null && !shares.isEmpty()) {
            throw wrong(wish, "expected targets=LIST or one part for each of " + targets);
        }
        CpuList union = all == null ? named : all;
        CpuList foreign = replayer.plus(union).minus(allowed);
        if (!foreign.isEmpty()) {
            throw wrong(
                    wish,
                    "this process may use " + allowed + ", but not " + foreign
                            + (foreign.minus(isolated()).isEmpty()
                                    ? ", which the kernel keeps apart (isolcpus): start it as taskset -c "
                                            + allowed.plus(foreign) + " ./replay ..."
                                    : ""));
        }
        List<String> warnings = sharingWarnings(replayer, union, cores);
        if (all != null) {
            return divided(replayer, all, targets.size(), whole(all, cores), warnings);
        }
        boolean equal = shares.stream().mapToInt(CpuList::size).distinct().count() == 1;
        boolean disjoint = shares.stream().mapToInt(CpuList::size).sum() == named.size();
        if (equal && disjoint) {
            return new Cores(replayer, union, shares, true, "as given by --cores", warnings);
        }
        String why =
                disjoint ? "the targets' parts of --cores differ in size" : "the targets' parts of --cores overlap";
        return new Cores(replayer, union, List.of(), true, why, warnings);
    }

    private static Map<String, CpuList> parts(String wish) {
        Map<String, CpuList> parts = new LinkedHashMap<>();
        String[] texts = wish.split("/", -1);
        for (int i = 0; i < texts.length; i++) {
            int equals = texts[i].indexOf('=');
            String name;
            if (equals >= 0) {
                name = texts[i].substring(0, equals).trim();
            } else if (texts.length == 2) {
                name = i == 0 ? "replayer" : "targets";
            } else {
                throw wrong(wish, "'" + texts[i] + "' has no name before its processors");
            }
            CpuList cpus = CpuList.parse(texts[i].substring(equals + 1));
            if (cpus.isEmpty()) {
                throw wrong(wish, "no processor for '" + name + "'");
            }
            if (parts.put(name, cpus) != null) {
                throw wrong(wish, "'" + name + "' stands twice");
            }
        }
        return parts;
    }

    private static IllegalArgumentException wrong(String wish, String what) {
        return new IllegalArgumentException(
                "--cores " + wish + ": " + what + "; write for example replayer=0/targets=1-3");
    }

    private static List<String> sharingWarnings(CpuList replayer, CpuList targets, List<CpuList> cores) {
        CpuList same = replayer.and(targets);
        if (!same.isEmpty() && !replayer.minus(targets).isEmpty()) {
            return List.of("the replayer's threads that send nothing share processor " + same
                    + " with the targets, at the lowest priority");
        }
        if (!same.isEmpty()) {
            return List.of("the replayer shares processor " + same
                    + " with the targets: latencies include the replayer's own work");
        }
        for (CpuList core : cores) {
            if (!core.and(replayer).isEmpty() && !core.and(targets).isEmpty()) {
                return List.of("the replayer and the targets are hyperthreads of one core (" + core
                        + "): they slow each other down");
            }
        }
        return List.of();
    }

    /** Returns the cores cut down to these processors; those with nothing left are left out. */
    private static List<CpuList> whole(CpuList cpus, List<CpuList> cores) {
        List<CpuList> cut = new ArrayList<>();
        for (CpuList core : cores) {
            CpuList part = core.and(cpus);
            if (!part.isEmpty()) {
                cut.add(part);
            }
        }
        return cut;
    }

    /** Groups processors by core after the kernel's topology files; without these every processor is a core. */
    static List<CpuList> coresOf(CpuList allowed, Path system) {
        List<CpuList> cores = new ArrayList<>();
        CpuList seen = CpuList.of();
        for (int cpu : allowed.toList()) {
            if (!seen.contains(cpu)) {
                CpuList core = siblings(cpu, system).and(allowed).plus(CpuList.of(cpu));
                cores.add(core);
                seen = seen.plus(core);
            }
        }
        return cores;
    }

    private static CpuList siblings(int cpu, Path system) {
        return list(system.resolve("cpu" + cpu).resolve("topology/thread_siblings_list"))
                .orElseGet(() -> CpuList.of(cpu));
    }

    /** Returns the processors this process may use, as the kernel says. */
    public static CpuList allowed() {
        return allowed(SELF_STATUS).map(all -> online(all, SYSTEM)).orElseGet(() -> {
            int count = Runtime.getRuntime().availableProcessors();
            return CpuList.parse("0-" + (count - 1));
        });
    }

    /** Returns those that are switched on: a machine to which processors can be added allows more than it has. */
    static CpuList online(CpuList allowed, Path system) {
        return list(system.resolve("online"))
                .map(allowed::and)
                .filter(usable -> !usable.isEmpty())
                .orElse(allowed);
    }

    /** Returns the processors on which the kernel lets nothing run that was not told to; mostly none. */
    private static CpuList isolated() {
        return list(SYSTEM.resolve("isolated")).orElseGet(CpuList::of);
    }

    /** Reads a list of processors; absent where the kernel has no such file. */
    private static Optional<CpuList> list(Path file) {
        try {
            return Optional.of(CpuList.parse(KernelFile.read(file)));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Reads the affinity of the process or thread with this status file. */
    static Optional<CpuList> allowed(Path status) {
        try {
            for (String line : KernelFile.readLines(status)) {
                if (line.startsWith("Cpus_allowed_list:")) {
                    return Optional.of(CpuList.parse(line.substring(line.indexOf(':') + 1)));
                }
            }
        } catch (IOException e) {
            // The process has ended, or this is not Linux: the caller has a reading of its own for that.
        }
        return Optional.empty();
    }

    public CpuList replayer() {
        return replayer;
    }

    /** Returns all processors of the targets: what each gets when they alternate. */
    public CpuList targets() {
        return targets;
    }

    /** Returns all processors of the split's cores: who works on a hyperthread beside its own slows them down. */
    public CpuList wholeCores() {
        return wholeCores(SYSTEM);
    }

    CpuList wholeCores(Path system) {
        CpuList all = replayer.plus(targets);
        for (int cpu : all.toList()) {
            all = all.plus(siblings(cpu, system));
        }
        return all;
    }

    /** Whether every target can have processors of its own, as many as every other, away from the replayer. */
    public boolean canRunTogether() {
        return !shares.isEmpty();
    }

    /**
     * Returns the processors of one target when all run at the same time. They rotate from launch to launch, so that no
     * target keeps the better core. Processors that the user gave by name stay.
     *
     * @param target index in the list given to {@link #plan}
     * @param launch 0, 1, 2...
     * @throws IllegalStateException when they can not run together
     */
    public CpuList together(int target, int launch) {
        if (shares.isEmpty()) {
            throw new IllegalStateException("the targets can not run together: " + why);
        }
        return shares.get(fixed ? target : (target + launch) % shares.size());
    }

    /** Returns the split and why the targets can or can not run together, in one line for people. */
    public String describe() {
        return "replayer on " + replayer + ", targets on " + targets
                + (canRunTogether() ? ", each on its own: " : ", not all at once: ") + why;
    }

    /** Returns what in this split spoils the measurement, a line each; empty when nothing does. */
    public List<String> warnings() {
        return Collections.unmodifiableList(warnings);
    }

    /**
     * Pins all threads of this process, and with them those it will start, to the replayer's processors.
     *
     * @return a warning line when that was not possible
     */
    public Optional<String> pinThisProcess() {
        CpuList before = allowed();
        try {
            ShortCommand.Result result = moveThisProcess(replayer);
            Optional<CpuList> now = allowed(SELF_STATUS);
            if (result.exitCode == 0 && now.isPresent() && now.get().equals(replayer)) {
                beforePin = before;
                return Optional.empty();
            }
            return Optional.of("the replayer is not pinned to " + replayer + ": taskset said '" + result.firstLine()
                    + "', the kernel says " + now.map(CpuList::toString).orElse("nothing"));
        } catch (IOException e) {
            return Optional.of("the replayer is not pinned to " + replayer + ": " + e.getMessage());
        }
    }

    /** Undoes {@link #pinThisProcess()}, if it was called. */
    public void unpinThisProcess() {
        if (beforePin != null) {
            try {
                moveThisProcess(beforePin);
            } catch (IOException e) {
                // The rest of the work can run on the replayer's processors too.
            }
            beforePin = null;
        }
    }

    /** Moves all threads: taskset gives up at one that ended since it was listed, and then is asked again. */
    private static ShortCommand.Result moveThisProcess(CpuList cpus) throws IOException {
        String pid = Long.toString(ProcessHandle.current().pid());
        List<String> command = List.of("taskset", "-a", "-c", "-p", cpus.toString(), pid);
        ShortCommand.Result result;
        int moves = 0;
        do {
            result = ShortCommand.run(command, MOVE_TIMEOUT);
        } while (result.exitCode != 0 && ++moves < MOST_MOVES);
        return result;
    }
}
