package dev.lockstep.launcher;

import dev.lockstep.monitor.PerfData;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/**
 * Starts targets and makes sure that none outlives it: {@link #close()} stops those that still run and removes the
 * control groups. Safe to use from any thread. It installs no shutdown hook. Close it from one: when this JVM just
 * exits, the targets end but their control groups stay until the next start.
 */
public final class TargetLauncher implements AutoCloseable {
    private static final int PORT_ATTEMPTS = 3;
    private static final long GRAAL_START_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    /** How a JVM ends that refuses its options; the line before has the reason. */
    private static final String JVM_NOT_CREATED = "Error: Could not create the Java Virtual Machine.";

    /** How the line begins that -XX:+PrintCommandLineFlags prints, an option that Lockstep gives. */
    private static final String JVM_FLAGS = "-XX:";

    private static final String JVM_HINT = "Did you mean";
    /** How long the watcher may take to learn the exit of a process that has ended. */
    private static final long EXIT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    /** How long the kernel may take to tear a dying process down. */
    private static final long DYING_NS = TimeUnit.SECONDS.toNanos(1);
    /** For this long the port is tried every millisecond, for an exact start-up time; after that every ten. */
    private static final long EAGER_PROBE_NS = TimeUnit.SECONDS.toNanos(10);

    /** What to do about a server of the user's that is there and not ready. By default it is asked as the sample is. */
    private static final String ANOTHER_PATH =
            "set readiness in the targets file to a path that it answers below 400 within 2 s, or to an empty text";

    private static final long HALF_MS_NS = TimeUnit.MILLISECONDS.toNanos(1) / 2;

    private final JvmInventory inventory;
    private final ControlGroups groups;
    private final ProcessStarter starter;
    private final Set<LaunchedProcess> running = new HashSet<>();
    private boolean closed;

    private TargetLauncher(JvmInventory inventory, ControlGroups groups, ProcessStarter starter) {
        this.inventory = inventory;
        this.groups = groups;
        this.starter = starter;
    }

    /** Prepares control groups, as far as this machine lets us, and removes those that a killed Lockstep left. */
    public static TargetLauncher open(JvmInventory inventory) {
        return open(inventory, ControlGroups.open());
    }

    static TargetLauncher open(JvmInventory inventory, ControlGroups groups) {
        return new TargetLauncher(inventory, groups, new ProcessStarter());
    }

    /**
     * Starts a target, or attaches to it, and returns when it has given its first good answer and its JIT is proven. A
     * server to attach to only needs an open port, and TLS if it speaks that; it gets a request only where its spec has
     * a readiness path, since it may count requests.
     *
     * @throws TargetFailedException when it does not; nothing of it is left then
     * @throws ProgramReplacedException when a file of its program is another one than at an earlier launch
     * @throws IllegalArgumentException when spec and settings do not fit together
     * @throws InterruptedException when the caller is interrupted; nothing of the target is left then
     */
    public TargetProcess launch(TargetSpec spec, LaunchSettings settings) throws InterruptedException {
        if (spec.tls() && settings.tls().isEmpty()) {
            throw new IllegalArgumentException(
                    "target " + spec.name() + " speaks TLS, but the settings do not say how");
        }
        if (spec.attachAddress().isPresent()) {
            return attach(spec, settings);
        }
        requireLinux(spec.name(), System.getProperty("os.name"));
        List<String> template = spec.command().isEmpty() ? settings.command() : spec.command();
        if (template.isEmpty()) {
            throw new IllegalArgumentException(
                    "target " + spec.name() + ": neither the target nor the settings have a command");
        }
        JvmChoice choice = spec.profile()
                .map(profile -> inventory.choose(profile, spec.jdkVersion()))
                .orElse(null);
        for (int attempt = 1; ; attempt++) {
            int port = spec.port().isPresent() ? fixedPort(spec) : freePort(spec.name());
            try {
                return launchAt(port, spec, settings, new CommandTemplate(template, spec.environment()), choice);
            } catch (TargetFailedException e) {
                // Between our look and the target's bind another program may have taken the port.
                if (spec.port().isPresent() || attempt == PORT_ATTEMPTS || !saysPortTaken(e)) {
                    throw e;
                }
            }
        }
    }

    /** Elsewhere nothing would show that the process is a JVM. */
    static void requireLinux(String target, String system) {
        if (!system.equals("Linux")) {
            throw TargetFailedException.ofMachine(
                    "target " + target + ": Lockstep starts targets on Linux only, and this is " + system
                            + "; start it yourself and give its address, as in " + target + "=127.0.0.1:8080",
                    List.of());
        }
    }

    private TargetProcess attach(TargetSpec spec, LaunchSettings settings) throws InterruptedException {
        InetSocketAddress address = spec.attachAddress().orElseThrow();
        String where = ReadinessProbe.hostAndPort(address);
        List<ReadinessProbe> probes = new ArrayList<>();
        for (InetSocketAddress one : spec.attachAddresses()) {
            probes.add(probe(spec, one, spec.readinessPath().orElse(""), settings));
        }
        if (probes.isEmpty()) {
            throw new TargetFailedException("target " + spec.name() + ": the host name of " + where + " is not known");
        }
        long deadlineNs = System.nanoTime() + settings.readyTimeout().toNanos();
        boolean told = false;
        while (true) {
            // When a host has several addresses, the first that answers serves for the whole run.
            for (ReadinessProbe probe : probes) {
                if (probe.isReady()) {
                    return new TargetProcess(spec.name(), probe.address, null, TargetProcess.Facts.ATTACHED);
                }
            }
            ReadinessProbe first = probes.get(0);
            if (probes.stream().allMatch(ReadinessProbe::isRefused)) {
                throw new TargetFailedException("target " + spec.name() + ": " + where + ": " + first.lastSeen()
                        + "; check --tls-ca, --tls-cert and the host name");
            }
            Optional<ReadinessProbe> open = probes.stream()
                    .filter(ReadinessProbe::mayAskForTheWrongPath)
                    .findFirst();
            if (!told) {
                told = true;
                String seen = open.orElse(first).lastSeen();
                settings.onWaiting().ifPresent(hears -> hears.accept(seen));
            }
            if (System.nanoTime() > deadlineNs) {
                throw new TargetFailedException("target " + spec.name() + ": "
                        + (open.isPresent() ? "not ready at " : "nothing answers at ") + where + within(settings) + " ("
                        + open.orElse(first).lastSeen() + "); "
                        + (open.isPresent() ? ANOTHER_PATH : "start the server first")
                        + ", or wait longer with --ready-timeout");
            }
            Thread.sleep(10);
        }
    }

    private static ReadinessProbe probe(
            TargetSpec spec, InetSocketAddress address, String path, LaunchSettings settings) {
        SSLContext tls = spec.tls() ? settings.tls().orElseThrow() : null;
        return new ReadinessProbe(address, path, tls, settings.tlsNames());
    }

    private TargetProcess launchAt(
            int port, TargetSpec spec, LaunchSettings settings, CommandTemplate template, JvmChoice choice)
            throws InterruptedException {
        Jvm jvm = choice == null ? null : choice.jvm;
        Isolation isolation = new Isolation(groups, starter, settings.cpus(), settings.memoryLimitBytes(), jvm);
        List<String> jvmOptions = new ArrayList<>();
        GcLogFile gcLog = GcLogFile.absent("it is not known to be a JVM");
        if (choice != null) {
            List<String> own = new ArrayList<>(settings.jvmOptions());
            own.addAll(spec.jvmOptions());
            Path log = settings.logFile(spec.name(), ".gc.log");
            gcLog = template.joinsJvmOptions() && log.toString().contains(" ")
                    ? GcLogFile.absent(
                            "its JVM options are joined by blanks, and the run directory has one in its name;"
                                    + " choose another with -o")
                    : GcLogFile.choose(jvm, own, log);
            jvmOptions.addAll(choice.options);
            jvmOptions.addAll(isolation.jvmOptions());
            jvmOptions.addAll(own);
            // After the user's own options, because -Xlog:disable switches off what comes before it.
            jvmOptions.addAll(gcLog.jvmOptions);
        }
        List<String> command = template.command(port, jvm, jvmOptions);
        Optional<Path> program = Executables.find(command.get(0));
        if (program.isEmpty()) {
            throw TargetFailedException.ofMachine(
                    "target " + spec.name() + ": '" + command.get(0) + "' is not an executable program"
                            + (command.get(0).contains("/") ? "" : " on PATH"),
                    List.of());
        }
        inventory.requireSame(spec.name(), jvm, command);
        LaunchedProcess process;
        try {
            process = start(spec.name(), settings, command, template.environment(port, jvm, jvmOptions));
        } catch (IOException e) {
            throw new TargetFailedException(
                    "target " + spec.name() + ": it can not be started: " + ControlGroupsV1.reason(e), e);
        }
        long startNs = process.started.atNs;
        boolean launched = false;
        try {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            String path = spec.readinessPath().orElse(settings.readinessPath());
            ReadinessProbe probe = probe(spec, address, path, settings);
            awaitReady(process, probe, spec, address, settings, startNs);
            long readyNs = System.nanoTime();
            JitProof proof = prove(process, spec, jvm, probe);
            Optional<CpuList> cpus = Cores.allowed(Path.of("/proc/" + process.pid() + "/status"));
            if (settings.cpus().isPresent()
                    && isolation.pins()
                    && !settings.cpus().equals(cpus)) {
                if (ends(process)) {
                    throw ended(process, spec.name());
                }
                throw TargetFailedException.ofMachine(
                        "target " + spec.name() + ": asked for processors "
                                + settings.cpus().get() + ", the kernel gives it " + cpus.orElse(null),
                        process.log.tail());
            }
            OptionalLong jvmReadyMs = PerfData.of(process.pid())
                    .map(d -> d.number("sun.rt.createVmEndTime"))
                    .orElse(OptionalLong.empty());
            ImmutableFacts.Builder facts = ImmutableFacts.builder()
                    .jvm(Optional.ofNullable(jvm))
                    .proof(proof)
                    .effectiveFlags(flags(process.log.head()))
                    .startNs(startNs)
                    .portOpenNs(probe.portOpenAtNs() - startNs)
                    .firstAnswerNs(readyNs - startNs)
                    .isolation(isolation.describe())
                    .pinned(settings.cpus().isPresent() && isolation.pins())
                    .cpus(cpus)
                    .servedElsewhere(jvm == null && !process.mayListenAt(port))
                    .gcLog(gcLog);
            jvmReadyMs.ifPresent(ms -> {
                long jvmReadyNs = sinceNs(process.started.at, ms);
                if (jvmReadyNs <= readyNs - startNs) {
                    facts.jvmReadyNs(jvmReadyNs);
                }
            });
            launched = true;
            return new TargetProcess(spec.name(), address, process, facts.build());
        } finally {
            gcLog.hide();
            if (!launched) {
                process.close();
            }
        }
    }

    /** The JVM cuts its time to the millisecond, so on average the event was half a millisecond later. */
    private static long sinceNs(Instant start, long epochMs) {
        Instant middle = Instant.ofEpochMilli(epochMs).plusNanos(HALF_MS_NS);
        return Math.max(0, Duration.between(start, middle).toNanos());
    }

    private synchronized LaunchedProcess start(
            String name, LaunchSettings settings, List<String> command, Map<String, String> environment)
            throws IOException {
        if (closed) {
            throw new IllegalStateException("the launcher is closed");
        }
        TargetLog log = new TargetLog(settings.logFile(name, ".log"));
        CpuList cpus = settings.cpus().orElse(null);
        ControlGroup group = groups.create(name, cpus, settings.memoryLimitBytes());
        try {
            ProcessStarter.Started started = starter.start(command, environment, group.joinFiles(), cpus, log.file);
            LaunchedProcess[] self = new LaunchedProcess[1];
            boolean freezer = groups.whyNotFrozen().isEmpty();
            self[0] = new LaunchedProcess(
                    command, started, group, freezer, log, settings.stopGrace(), () -> forget(self[0]));
            self[0].watch(name);
            running.add(self[0]);
            return self[0];
        } catch (IOException | RuntimeException e) {
            group.remove();
            throw e;
        }
    }

    private synchronized void forget(LaunchedProcess process) {
        running.remove(process);
    }

    private static void awaitReady(
            LaunchedProcess process,
            ReadinessProbe probe,
            TargetSpec spec,
            InetSocketAddress address,
            LaunchSettings settings,
            long startNs)
            throws InterruptedException {
        String name = spec.name();
        long timeoutNs = settings.readyTimeout().toNanos();
        while (true) {
            boolean alive = process.isAlive();
            if (alive && probe.isReady()) {
                // Another program that held the port would have answered even if our target ended at once.
                if (process.isAlive()) {
                    return;
                }
                alive = false;
            }
            if (!alive) {
                throw ended(process, name);
            }
            long elapsedNs = System.nanoTime() - startNs;
            if (elapsedNs > timeoutNs) {
                throw TargetFailedException.late(
                        "target " + name + ": not ready at " + ReadinessProbe.hostAndPort(address) + within(settings)
                                + " (" + probe.lastSeen() + ")" + lastLine(process.log.tail()) + "; all output is in "
                                + process.log.file + "; --ready-timeout gives it longer" + otherRemedy(spec, probe),
                        process.log.tail());
            }
            Thread.sleep(elapsedNs < EAGER_PROBE_NS ? 1 : 10);
        }
    }

    /** Returns what else than time a server of the user's may lack to get ready, or nothing. */
    private static String otherRemedy(TargetSpec spec, ReadinessProbe probe) {
        if (spec.command().isEmpty()) {
            return "";
        }
        if (probe.mayAskForTheWrongPath()) {
            return ", or " + ANOTHER_PATH;
        }
        if (probe.portOpenAtNs() != 0) {
            return "";
        }
        return "; it has to listen on port " + probe.address.getPort()
                + (spec.port().isPresent() ? ", as the targets file says" : ", {port} in command or environment");
    }

    private static String within(LaunchSettings settings) {
        long ms = settings.readyTimeout().toMillis();
        return " within " + (ms % 1000 == 0 ? ms / 1000 + " s" : ms + " ms");
    }

    /** Returns the failure of a process that ended before its launch was complete. */
    private static TargetFailedException ended(LaunchedProcess process, String name) throws InterruptedException {
        ProcessExit exit;
        try {
            exit = process.onExit().get(EXIT_TIMEOUT_NS, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return new TargetFailedException(
                    "target " + name
                            + ": it ended before it was ready, and the kernel does not say how; all output is in "
                            + process.log.file,
                    null,
                    process.log.tail());
        } catch (ExecutionException e) {
            throw new IllegalStateException("the watcher never fails", e);
        }
        return new TargetFailedException(
                "target " + name + ": it ended before it was ready with " + exit.describe()
                        + limitRemark(process, exit) + lastLine(exit.lastLogLines()) + "; all output is in "
                        + process.log.file,
                exit,
                exit.lastLogLines());
    }

    /**
     * Whether a process has ended or is about to. A dying process loses its threads and its processors before its exit
     * is known; it would look like one that does not run what was asked for.
     */
    private static boolean ends(LaunchedProcess process) throws InterruptedException {
        long deadlineNs = System.nanoTime() + DYING_NS;
        while (process.isAlive() && System.nanoTime() < deadlineNs) {
            Thread.sleep(10);
        }
        return !process.isAlive();
    }

    private static String limitRemark(LaunchedProcess process, ProcessExit exit) {
        OptionalLong limit = process.memoryLimitBytes;
        return exit.isOomKilled() && limit.isPresent()
                ? "; its memory limit is " + limit.getAsLong() + " bytes: give it more"
                : "";
    }

    /** Returns the last line that a target printed, or what a JVM that does not start says before it says just that. */
    private static String lastLine(List<String> output) {
        List<String> lines =
                output.stream().filter(line -> !line.startsWith(JVM_FLAGS)).collect(Collectors.toList());
        // One line follows it; of a script that went on after it there are more.
        for (int i = lines.size() - 1; i >= Math.max(0, lines.size() - 3); i--) {
            if (lines.get(i).endsWith(JVM_NOT_CREATED)) {
                // JDK 17 ends a hint without a new line.
                String hint = lines.get(i).replace(JVM_NOT_CREATED, "").trim();
                String reason = i == 0 ? "" : lines.get(i - 1).trim();
                if (hint.isEmpty() && reason.startsWith(JVM_HINT) && i > 1) {
                    hint = reason;
                    reason = lines.get(i - 2).trim();
                }
                return "; the JVM said: '" + (reason + " " + hint).trim() + "'";
            }
        }
        return lines.isEmpty() ? "; it printed nothing" : "; its last line: '" + lines.get(lines.size() - 1) + "'";
    }

    /**
     * Up to JDK 21 Graal starts with its first compilation, which may come after the application is ready; the probe's
     * requests then go on until it does.
     */
    private JitProof prove(LaunchedProcess process, TargetSpec spec, Jvm jvm, ReadinessProbe probe)
            throws InterruptedException {
        Profile asked = spec.anyJit() ? null : spec.profile().orElse(null);
        long deadlineNs = System.nanoTime() + GRAAL_START_TIMEOUT_NS;
        while (true) {
            JitProof proof = JitProof.examine(process.pid(), asked, jvm, process.log.head());
            if (proof.isAsAsked()) {
                return proof;
            }
            boolean mayCome = asked != null && asked.isGraal() && proof.jit.equals(JitProof.UNNAMED_JVMCI);
            boolean late = System.nanoTime() > deadlineNs;
            if (!mayCome || late || !process.isAlive()) {
                if (ends(process)) {
                    throw ended(process, spec.name());
                }
                throw new TargetFailedException(
                        "target " + spec.name() + ": " + proof.contradiction
                                + (mayCome && late && !process.log.head().isBlank()
                                        ? "; add the JVM option -XX:+EagerJVMCI to start Graal at once"
                                        : "")
                                + "; all output is in " + process.log.file,
                        null,
                        process.log.tail());
            }
            probe.isReady();
            Thread.sleep(5);
        }
    }

    /** Returns the words of the line that -XX:+PrintCommandLineFlags prints. */
    private static List<String> flags(String logHead) {
        return logHead.lines()
                .filter(line -> line.startsWith(JVM_FLAGS))
                .findFirst()
                .map(line -> List.of(line.trim().split(" +")))
                .orElse(List.of());
    }

    private static boolean saysPortTaken(TargetFailedException e) {
        return e.lastLogLines().stream()
                .anyMatch(line -> line.contains("Address already in use") || line.contains("BindException"));
    }

    private static int fixedPort(TargetSpec spec) {
        int port = spec.port().getAsInt();
        if (!isFree(port)) {
            throw TargetFailedException.ofMachine(
                    "target " + spec.name() + ": port " + port
                            + " is taken by another program; stop that or choose another port",
                    List.of());
        }
        return port;
    }

    /**
     * Returns a port that is free now and is not of the range the kernel takes client ports from: there a waiting
     * client's connection could meet itself, or another client could take the port before the target binds it.
     */
    private static int freePort(String name) {
        int lowest = 10_240;
        int end = ephemeralStart();
        SplittableRandom random = new SplittableRandom();
        for (int i = 0; i < 100 && end > lowest; i++) {
            int port = random.nextInt(lowest, end);
            if (isFree(port)) {
                return port;
            }
        }
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new TargetFailedException("target " + name + ": no free port: " + e.getMessage(), e);
        }
    }

    private static int ephemeralStart() {
        try {
            String range = KernelFile.read(Path.of("/proc/sys/net/ipv4/ip_local_port_range"));
            return Integer.parseInt(range.trim().split("\\s+")[0]);
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    private static boolean isFree(int port) {
        // Most servers bind all interfaces, so a listener on any of them is in the way.
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (BindException e) {
            // A port that this process may not open, the target perhaps may.
            return String.valueOf(e.getMessage()).contains("Permission denied");
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns how targets are pinned, capped and frozen here, with the reason where that is second best. */
    public String isolation() {
        return Isolation.describe(groups, starter);
    }

    /** Stops all targets and removes the control groups. Idempotent; may be called from any thread. */
    @Override
    public void close() {
        List<LaunchedProcess> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(running);
        }
        LaunchedProcess.closeAll(left);
        groups.close();
        starter.close();
    }
}
