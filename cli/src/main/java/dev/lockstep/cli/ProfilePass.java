package dev.lockstep.cli;

import dev.lockstep.capture.Capture;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.CpuList;
import dev.lockstep.launcher.Jvm;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.TargetExit;
import dev.lockstep.launcher.TargetFailedException;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetProcess;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.HotMethods;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.measurement.RunDirectoryWriter;
import dev.lockstep.measurement.RunPlan;
import dev.lockstep.measurement.RunResult;
import dev.lockstep.measurement.TargetResult;
import dev.lockstep.measurement.TargetSchedule;
import dev.lockstep.profiler.Profiler;
import dev.lockstep.profiler.ProfilerException;
import dev.lockstep.profiler.Recording;
import dev.lockstep.profiler.SideBySide;
import dev.lockstep.profiler.StackProfile;
import dev.lockstep.replayer.ReplayException;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.replayer.Rewrites;
import dev.lockstep.replayer.TargetReplay;
import dev.lockstep.replayer.TargetTls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The pass after a run in which each target is started once more, one after the other, warmed up, given the run's load and
 * profiled. Nothing of it enters the figures of the run; what fails in it leaves them as they are. Used by the run's
 * thread, once.
 */
final class ProfilePass {
    private static final int METHODS_KEPT = 100;
    /** A JVM completes its recording while it exits. */
    private static final Duration STOP_GRACE = Duration.ofSeconds(30);

    private static final double PARTS_PER_MILLION = 1e6;
    private static final String ENDED = "the run was ended before";

    private final RunPlan plan;
    private final Capture capture;
    private final List<TargetSpec> specs;
    private final Cores cores;
    private final LaunchSettings settings;
    private final TargetTls tls;
    private final Rewrites rewrites;
    private final Progress progress;
    private final Interruption interruption;
    private final Map<String, StackProfile> profiles = new LinkedHashMap<>();
    private final List<HotMethods.Target> targets = new ArrayList<>();

    /**
     * @param plan says how long each target is profiled
     * @param specs the plan's targets, in its order
     * @param settings as in the run
     * @param tls how TLS is spoken to the targets that do, or null where none does
     * @param rewrites what is changed in requests, or null
     */
    ProfilePass(
            RunPlan plan,
            Capture capture,
            List<TargetSpec> specs,
            Cores cores,
            LaunchSettings settings,
            TargetTls tls,
            Rewrites rewrites,
            Progress progress,
            Interruption interruption) {
        this.plan = plan;
        this.capture = capture;
        this.specs = specs;
        this.cores = cores;
        this.settings = settings;
        this.tls = tls;
        this.rewrites = rewrites;
        this.progress = progress;
        this.interruption = interruption;
    }

    /**
     * Profiles the targets and writes their stacks and flame graphs. A target that cannot be profiled is told so in the
     * result; nothing of the targets is left when this returns.
     *
     * @return the result of the run, with what was found
     */
    RunResult run(RunResult scored, JvmInventory inventory, RunDirectoryWriter directory) {
        try (Profiler profiler = Profiler.open(directory.profilingFolder());
                TargetLauncher launcher = TargetLauncher.open(inventory)) {
            for (int i = 0; i < specs.size(); i++) {
                targets.add(profile(i, scored.targets().get(i), profiler, launcher, directory));
            }
        } catch (ProfilerException e) {
            // No place for recordings, or they could not be removed.
            progress.line(e.getMessage());
            for (TargetSpec spec : specs.subList(targets.size(), specs.size())) {
                targets.add(HotMethods.Target.absent(spec.name(), e.getMessage()));
            }
        } finally {
            progress.end();
            interruption.onRequest(() -> {});
        }
        writeDifferences(directory);
        return scored.withHotMethods(SideBySide.of(targets, profiles, METHODS_KEPT));
    }

    private HotMethods.Target profile(
            int index, TargetResult scored, Profiler profiler, TargetLauncher launcher, RunDirectoryWriter directory) {
        TargetSpec spec = specs.get(index);
        if (spec.attachAddress().isPresent()) {
            return HotMethods.Target.absent(
                    spec.name(), "it runs already; only JVMs that Lockstep starts are profiled");
        }
        if (spec.profile().isEmpty()) {
            return HotMethods.Target.absent(
                    spec.name(), "its command names no {java} or {jvmOptions}, where the profiler's option would go");
        }
        if (scored.counts().isEmpty()) {
            return HotMethods.Target.absent(spec.name(), "no load reached it in the run");
        }
        List<String> failures = new ArrayList<>();
        for (Recording recording : profiler.recordings()) {
            if (interruption.isRequested()) {
                return HotMethods.Target.absent(spec.name(), ENDED);
            }
            try {
                return record(index, scored, recording, failures, profiler.folder(), launcher, directory);
            } catch (InterruptedException e) {
                return HotMethods.Target.absent(spec.name(), ENDED);
            } catch (CliException | TargetFailedException | ProfilerException | ReplayException e) {
                String failure = keepOutput(spec.name(), profiler.folder(), message(e, recording), directory)
                        .replace("target " + spec.name() + ": ", "");
                failures.add(failure);
                progress.line(spec.name() + ": no profile with " + recording.profiler() + ": " + failure);
            }
        }
        return HotMethods.Target.absent(spec.name(), String.join("; and: ", failures));
    }

    private static String message(RuntimeException e, Recording recording) {
        return e instanceof TargetFailedException
                ? recording
                        .whyNotLoaded(((TargetFailedException) e).lastLogLines())
                        .orElse(e.getMessage())
                : e.getMessage();
    }

    private HotMethods.Target record(
            int index,
            TargetResult scored,
            Recording recording,
            List<String> failures,
            Path folder,
            TargetLauncher launcher,
            RunDirectoryWriter directory)
            throws InterruptedException {
        TargetSpec spec = specs.get(index);
        LaunchSettings ours = settings.toBuilder()
                .cpus(cpus(index))
                .logDirectory(folder)
                .stopGrace(STOP_GRACE)
                .build();
        progress.begin(spec.name() + ": starting with " + recording.profiler(), Long.MAX_VALUE);
        Window window;
        Optional<TargetExit> died;
        boolean interpreted;
        try (TargetProcess process = launch(launcher, spec.withJvmOptions(recording.jvmOptions()), ours)) {
            window = load(process, spec);
            died = process.exit();
            interpreted = process.jvm().map(Jvm::kind).orElse(null) == Jvm.Kind.ZERO;
            progress.begin(spec.name() + ": ending, which completes the recording", Long.MAX_VALUE);
        }
        if (died.isPresent()) {
            throw new CliException(
                    "it died under load with " + died.get().describe() + ", " + recording.profiler() + " in it");
        }
        StackProfile profile = recording.read(window.from, window.to, interpreted);
        String name = recording.profiler() + (profile.version().isEmpty() ? "" : " " + profile.version());
        List<String> notes = new ArrayList<>();
        failures.forEach(failure -> notes.add("not by async-profiler: " + failure));
        recording.blindness().ifPresent(notes::add);
        try {
            directory.stacks(spec.name(), profile::writeStacks);
            directory.flameGraph(
                    spec.name(), out -> profile.writeFlameGraph(spec.name() + ": CPU samples by " + name, out));
        } catch (MeasurementException e) {
            notes.add(e.getMessage());
        }
        profiles.put(spec.name(), profile);
        return HotMethods.Target.profiled(
                spec.name(),
                name,
                profile.event(),
                profile.samples(),
                Duration.between(window.from, window.to).toNanos(),
                cpuNsPerRequest(scored),
                notes.isEmpty() ? null : String.join("; ", notes));
    }

    /** The time in which samples count. */
    private static final class Window {
        private final Instant from;
        private final Instant to;

        Window(Instant from, Instant to) {
            this.from = from;
            this.to = to;
        }
    }

    private TargetProcess launch(TargetLauncher launcher, TargetSpec spec, LaunchSettings ours)
            throws InterruptedException {
        Thread launching = Thread.currentThread();
        interruption.onRequest(launching::interrupt);
        try {
            return launcher.launch(spec, ours);
        } finally {
            interruption.onRequest(() -> {});
            // The signal may have come in the last moment; nothing that follows expects an interrupt.
            Thread.interrupted();
        }
    }

    private Window load(TargetProcess process, TargetSpec spec) {
        try (Replayer replayer = Replayer.launchCold(ReplayRun.load(plan, capture)
                .rewrites(rewrites)
                // The replayer's own punctuality is no matter here.
                .spinNs(0)
                .build())) {
            TargetReplay replay = replayer.addTarget(spec.name(), process.address(), spec.tls() ? tls : null);
            process.onExit().thenRun(replay::abort);
            interruption.onRequest(replayer::stop);
            if (!plan.warmup().isZero()) {
                phase(replayer, replay, "warm-up before its profile", plan.warmup());
            }
            Instant from = Instant.now();
            phase(replayer, replay, "profile", plan.profileDuration().orElseThrow());
            return new Window(from, Instant.now());
        } finally {
            interruption.onRequest(() -> {});
        }
    }

    private void phase(Replayer replayer, TargetReplay replay, String name, Duration length) {
        long startNs = System.nanoTime();
        progress.begin(replay.name() + ": " + name, length.toNanos());
        // A warm-up is the run's load over and over, without a measurement: just what is wanted here.
        replayer.warmUp(
                List.of(replay),
                length.toNanos(),
                () -> progress.at(System.nanoTime() - startNs, replay.answeredSoFar() + " answers"));
    }

    private CpuList cpus(int target) {
        return plan.schedule() != TargetSchedule.ALTERNATE && cores.canRunTogether()
                ? cores.together(target, 0)
                : cores.targets();
    }

    private static OptionalDouble cpuNsPerRequest(TargetResult scored) {
        OptionalDouble user = scored.userCpuNsPerRequest();
        OptionalDouble system = scored.systemCpuNsPerRequest();
        return user.isPresent() && system.isPresent()
                ? OptionalDouble.of(user.getAsDouble() + system.getAsDouble())
                : OptionalDouble.empty();
    }

    /** Keeps what the target wrote, for the folder goes, and returns the message with the place where it is now. */
    private static String keepOutput(String target, Path folder, String message, RunDirectoryWriter directory) {
        Path output = folder.resolve(target + ".log");
        if (!Files.exists(output)) {
            return message;
        }
        try {
            String text = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
            Path kept = directory.profileOutput(target, out -> out.append(text));
            return message.replace(output.toString(), kept.toString());
        } catch (IOException | MeasurementException e) {
            return message;
        }
    }

    private void writeDifferences(RunDirectoryWriter directory) {
        StackProfile baseline = profiles.get(plan.baseline());
        if (baseline == null) {
            return;
        }
        for (HotMethods.Target target : targets) {
            StackProfile profile = profiles.get(target.name());
            if (profile == null || profile == baseline) {
                continue;
            }
            OptionalDouble base = targets.stream()
                    .filter(other -> other.name().equals(plan.baseline()))
                    .findFirst()
                    .orElseThrow()
                    .cpuNsPerRequest();
            boolean scaled = base.isPresent() && target.cpuNsPerRequest().isPresent();
            double baseTotal = scaled ? base.getAsDouble() : PARTS_PER_MILLION;
            double total = scaled ? target.cpuNsPerRequest().getAsDouble() : PARTS_PER_MILLION;
            String title = target.name() + " against " + plan.baseline() + ", in "
                    + (scaled ? "ns of CPU time per request" : "millionths of the CPU samples")
                    + "; red: more, blue: less, yellow: only here";
            try {
                directory.differentialFlameGraph(
                        target.name(), out -> profile.writeDifference(baseline, baseTotal, total, title, out));
            } catch (MeasurementException e) {
                progress.line(e.getMessage());
            }
        }
    }
}
