package dev.lockstep.run;

import dev.lockstep.launcher.Jvm;
import dev.lockstep.launcher.LaunchSettings;
import dev.lockstep.launcher.ProcessExit;
import dev.lockstep.launcher.ProgramReplacedException;
import dev.lockstep.launcher.TargetFailedException;
import dev.lockstep.launcher.TargetLauncher;
import dev.lockstep.launcher.TargetProcess;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.profiler.Profiler;
import dev.lockstep.profiler.ProfilerException;
import dev.lockstep.profiler.SampleRecording;
import dev.lockstep.profiler.SideBySide;
import dev.lockstep.profiler.StackProfile;
import dev.lockstep.replayer.ReplayException;
import dev.lockstep.replayer.Replayer;
import dev.lockstep.replayer.TargetReplay;
import dev.lockstep.replayer.WarmUpSteps;
import dev.lockstep.results.HotMethods;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Warmup;
import dev.lockstep.results.directory.RunDirectoryWriter;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
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
import java.util.concurrent.TimeUnit;

/**
 * The pass after a run in which each target is started once more, one after the other, warmed up, given the run's load
 * and profiled. Nothing of it enters the figures of the run; what fails in it leaves them as they are. Used by the
 * run's thread, once.
 */
final class ProfilePass {
    private static final int METHODS_KEPT = 100;
    private static final int MOST_KEPT_BYTES = 1 << 20;
    /** A JVM completes its recording while it exits. */
    private static final Duration STOP_GRACE = Duration.ofSeconds(30);

    /** Of a flame graph, whose widths are whole numbers: so fine that no stack is lost. */
    private static final double PS_PER_NS = 1e3;

    private static final double PARTS_PER_BILLION = 1e9;
    private static final String ENDED = "the run was ended before";

    private final RunConfig config;
    private final RunPlan plan;
    private final List<TargetSpec> specs;
    private final RunDirectoryWriter directory;
    private final RunListener listener;
    private final Cancellation cancellation;
    private final Map<String, StackProfile> profiles = new LinkedHashMap<>();
    private final List<HotMethods.Target> targets = new ArrayList<>();

    ProfilePass(RunConfig config, RunDirectoryWriter directory, RunListener listener, Cancellation cancellation) {
        this.config = config;
        this.plan = config.plan();
        this.specs = config.specs();
        this.directory = directory;
        this.listener = listener;
        this.cancellation = cancellation;
    }

    /**
     * Profiles the targets and writes their stacks and flame graphs. A target that cannot be profiled is told so in the
     * result; nothing of the targets is left when this returns.
     *
     * @return the result of the run, with what was found
     */
    RunResult run(RunResult scored) {
        try (Profiler profiler = Profiler.open(directory.profilingFolder());
                TargetLauncher launcher = TargetLauncher.open(config.inventory())) {
            for (int i = 0; i < specs.size(); i++) {
                targets.add(profile(i, scored.targets().get(i), profiler, launcher));
            }
        } catch (ProfilerException e) {
            // No place for recordings, or they could not be removed.
            listener.note(e.getMessage());
            for (TargetSpec spec : specs.subList(targets.size(), specs.size())) {
                targets.add(HotMethods.Target.absent(spec.name(), e.getMessage()));
            }
        } finally {
            listener.phaseEnded();
            cancellation.onCancel(() -> {});
        }
        writeDifferences();
        return scored.withHotMethods(SideBySide.of(targets, profiles, METHODS_KEPT));
    }

    private HotMethods.Target profile(int index, TargetResult scored, Profiler profiler, TargetLauncher launcher) {
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
        for (SampleRecording recording : profiler.recordings()) {
            if (cancellation.isCancelled()) {
                return HotMethods.Target.absent(spec.name(), ENDED);
            }
            try {
                return record(index, scored, recording, failures, profiler.folder(), launcher);
            } catch (InterruptedException e) {
                return HotMethods.Target.absent(spec.name(), ENDED);
            } catch (RunException
                    | TargetFailedException
                    | ProgramReplacedException
                    | ProfilerException
                    | ReplayException e) {
                String failure = keepOutput(spec.name(), profiler.folder(), message(e, recording))
                        .replace("target " + spec.name() + ": ", "");
                failures.add(failure);
                listener.note(spec.name() + ": no profile with " + recording.profiler() + ": " + failure);
            }
        }
        return HotMethods.Target.absent(spec.name(), String.join("; and: ", failures));
    }

    private static String message(RuntimeException e, SampleRecording recording) {
        return e instanceof TargetFailedException
                ? recording
                        .whyNotLoaded(((TargetFailedException) e).lastLogLines())
                        .orElse(e.getMessage())
                : e.getMessage();
    }

    private HotMethods.Target record(
            int index,
            TargetResult scored,
            SampleRecording recording,
            List<String> failures,
            Path folder,
            TargetLauncher launcher)
            throws InterruptedException {
        TargetSpec spec = specs.get(index);
        LaunchSettings ours = config.launchSettings(folder).toBuilder()
                .cpus(config.cpus(index, 1))
                .stopGrace(STOP_GRACE)
                .build();
        listener.phase(
                RunPhase.builder(RunPhase.Kind.PROFILE_START, spec.name() + ": starting with " + recording.profiler())
                        .target(spec.name())
                        .build());
        Window window;
        Optional<ProcessExit> died;
        boolean interpreted;
        try (TargetProcess process =
                cancellation.interrupting(() -> launcher.launch(spec.withJvmOptions(recording.jvmOptions()), ours))) {
            window = load(process, spec, scored);
            died = process.exit();
            interpreted = process.jvm().map(Jvm::kind).orElse(null) == Jvm.Kind.ZERO;
            listener.phase(
                    RunPhase.builder(RunPhase.Kind.PROFILE_END, spec.name() + ": ending, which completes the recording")
                            .target(spec.name())
                            .build());
        }
        if (died.isPresent()) {
            throw new RunException(
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
                scored.perRequest().cpuNsPerRequest(),
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

    private Window load(TargetProcess process, TargetSpec spec, TargetResult scored) {
        try (Replayer replayer = Replayer.launchCold(RunPlanner.load(plan, config.capture())
                .rewrites(config.rewrites())
                // The replayer's own punctuality is no matter here.
                .spinNs(0)
                .build())) {
            TargetReplay replay = replayer.addTarget(spec.name(), process.address(), config.tls(spec));
            process.onExit().thenRun(replay::abort);
            cancellation.onCancel(replayer::stop);
            if (plan.warmupLimit().isPresent()) {
                warmUp(replayer, replay, scored);
            } else if (!plan.warmup().isZero()) {
                phase(replayer, replay, RunPhase.Kind.PROFILE_WARM_UP, "warm-up before its profile", plan.warmup());
            }
            Instant from = Instant.now();
            phase(
                    replayer,
                    replay,
                    RunPhase.Kind.PROFILE,
                    "profile",
                    plan.profileDuration().orElseThrow());
            return new Window(from, Instant.now());
        } finally {
            cancellation.onCancel(() -> {});
        }
    }

    /**
     * Gives it as much load as it took in the run to be steady, or as much as a warm-up may take where it was not, and
     * some at the pace that was measured.
     */
    private void warmUp(Replayer replayer, TargetReplay replay, TargetResult scored) {
        long limitNs = plan.warmupLimit().orElseThrow().toNanos();
        long steadyNs = scored.warmup()
                .filter(Warmup::isSteady)
                .map(warmup -> warmup.durationNs().orElse(limitNs))
                .map(ns -> Math.min(ns, limitNs))
                .orElse(limitNs);
        boolean heats = config.heats();
        long endNs = steadyNs + TimeUnit.SECONDS.toNanos(WarmUpWatch.MOST_PACED_SECONDS);
        long startNs = System.nanoTime();
        Replayer.Progress progress = begin(replay, RunPhase.Kind.PROFILE_WARM_UP, "warm-up before its profile", endNs);
        WarmUpSteps steps = new WarmUpSteps() {
            @Override
            public Step next(TargetReplay target) {
                long elapsedNs = System.nanoTime() - startNs;
                return heats && elapsedNs < steadyNs ? Step.HEAT : elapsedNs < endNs ? Step.PACE : Step.DONE;
            }

            @Override
            public void begins(TargetReplay target, Step step) {
                // Nobody asks how steady it is.
            }
        };
        replayer.warmUp(List.of(replay), steps, progress);
    }

    private void phase(Replayer replayer, TargetReplay replay, RunPhase.Kind kind, String name, Duration length) {
        // A warm-up is the run's load over and over, without a measurement: just what is wanted here.
        replayer.warmUp(List.of(replay), length.toNanos(), begin(replay, kind, name, length.toNanos()));
    }

    private Replayer.Progress begin(TargetReplay replay, RunPhase.Kind kind, String name, long lengthNs) {
        long startNs = System.nanoTime();
        listener.phase(RunPhase.builder(kind, replay.name() + ": " + name)
                .target(replay.name())
                .lengthNs(lengthNs)
                .build());
        return () -> listener.progress(System.nanoTime() - startNs, Map.of(replay.name(), replay.answeredSoFar()));
    }

    /** Keeps what the target wrote, for the folder goes, and returns the message with the place where it is now. */
    private String keepOutput(String target, Path folder, String message) {
        Path output = folder.resolve(target + ".log");
        if (!Files.exists(output)) {
            return message;
        }
        try {
            String text = end(output);
            Path kept = directory.profileOutput(target, out -> out.append(text));
            return message.replace(output.toString(), kept.toString());
        } catch (IOException | MeasurementException e) {
            return message;
        }
    }

    /** Returns what a target wrote last: some write as much as they like. */
    private static String end(Path output) throws IOException {
        try (SeekableByteChannel in = Files.newByteChannel(output)) {
            in.position(Math.max(0, in.size() - MOST_KEPT_BYTES));
            return new String(Channels.newInputStream(in).readNBytes(MOST_KEPT_BYTES), StandardCharsets.UTF_8);
        }
    }

    /** Names what took a target's samples and when; shares of two that differ are not of the same whole. */
    private static String sampler(HotMethods.Target target) {
        return target.profiler() + " (" + target.event() + ")";
    }

    private void writeDifferences() {
        StackProfile baseline = profiles.get(plan.baseline());
        if (baseline == null) {
            return;
        }
        HotMethods.Target base = targets.stream()
                .filter(target -> target.name().equals(plan.baseline()))
                .findFirst()
                .orElseThrow();
        for (HotMethods.Target target : targets) {
            StackProfile profile = profiles.get(target.name());
            if (profile == null || profile == baseline) {
                continue;
            }
            if (!sampler(target).equals(sampler(base))) {
                listener.note(target.name() + ": no flame graph of its difference to " + base.name()
                        + ": its samples are those of " + sampler(target) + ", not of " + sampler(base));
                continue;
            }
            OptionalDouble baseNs = base.cpuNsPerRequest();
            OptionalDouble ns = target.cpuNsPerRequest();
            boolean scaled = baseNs.isPresent() && ns.isPresent();
            double baseTotal = scaled ? baseNs.getAsDouble() * PS_PER_NS : PARTS_PER_BILLION;
            double total = scaled ? ns.getAsDouble() * PS_PER_NS : PARTS_PER_BILLION;
            String title = target.name() + " against " + plan.baseline() + ", in "
                    + (scaled ? "ps of CPU time per request" : "billionths of the CPU samples")
                    + "; red: more, blue: less, yellow: only here";
            try {
                directory.differentialFlameGraph(
                        target.name(), out -> profile.writeDifference(baseline, baseTotal, total, title, out));
            } catch (MeasurementException e) {
                listener.note(e.getMessage());
            }
        }
    }
}
