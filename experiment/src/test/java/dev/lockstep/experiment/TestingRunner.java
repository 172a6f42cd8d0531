package dev.lockstep.experiment;

import dev.lockstep.measurement.Pace;
import dev.lockstep.results.AssertionResult;
import dev.lockstep.results.CaptureReference;
import dev.lockstep.results.Environment;
import dev.lockstep.results.LaunchResult;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.Startup;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.results.TargetResult;
import dev.lockstep.results.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Carries out parts by writing results with known figures. */
final class TestingRunner implements PartRunner {
    private static final OffsetDateTime START = OffsetDateTime.parse("2026-11-21T07:42:00+01:00");
    private static final int LEAST_THAT_HOLDS = 192;

    /** The names of the parts that were carried out, in order. */
    final List<String> carriedOut = new ArrayList<>();
    /** The words of each part's last command. */
    final Map<String, List<String>> commands = new HashMap<>();
    /** The part at which the process is killed; null for none. */
    String killedAt;

    /** The part that is INVALID, of a search its verification; null for none. */
    String invalid;
    /** The part that ends as one that tells nothing though its run is valid, as a search's spoiled by others. */
    String spoiled;
    /** The part in which others have the targets' processors, and a condition fails; null for none. */
    String starved;
    /** The part that fails before it has a result; null for none. */
    String failing;
    /** The part that comes to its end without a result, as a dry run does; null for none. */
    String withoutResult;
    /** The part whose target is not ready in time; null for none. */
    String late;
    /** The part whose command line is wrong; null for none. */
    String misspelt;
    /** Whether the programs of services are there, though none starts. */
    boolean servicesFail;
    /** The part during which a service ends by itself; null for none. */
    String withoutService;
    /** How programs end. */
    int programExits;
    /** What programs write into the files that their last words name. */
    String recorded = "";

    boolean interrupted;
    /** Of Lockstep, and the JVM of targets. */
    String version = "0.1.0";

    String jvm = "OpenJDK 17";

    @Override
    public Optional<String> whyNot(Part part, List<Service> services) {
        return services.stream()
                .filter(service -> !servicesFail)
                .map(service -> service.command().get(0) + " is not installed")
                .findFirst();
    }

    @Override
    public Outcome run(List<String> words, Path log) {
        String part = log.getFileName().toString();
        carriedOut.add(part);
        commands.put(part, words);
        if (part.equals(killedAt)) {
            throw new IllegalStateException("killed");
        }
        if (part.equals("kind-b") && words.contains("9s")) {
            return new Outcome(1, "target graal: the JVM died");
        }
        if (part.equals(misspelt)) {
            return new Outcome(2, "unknown option: --sped");
        }
        if (part.equals(late)) {
            return new Outcome(1, "target c2: not ready within 60 s", true);
        }
        if (part.equals(failing)) {
            return new Outcome(1, "graal: no such JVM");
        }
        if (part.equals(withoutResult)) {
            return new Outcome(0, "");
        }
        try {
            Path own = Paths.get(words.get(words.indexOf("-o") + 1));
            Path directory = words.get(0).equals("tune") ? own.resolve("verification") : own;
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("run.json"), result(part).toJson());
            Files.writeString(log.resolveSibling(part + ".txt"), "what " + part + " <printed>\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Outcome(part.equals(invalid) || part.equals(spoiled) ? 3 : 0, "");
    }

    @Override
    public Outcome execute(List<String> words, Path log) {
        carriedOut.add(log.getFileName().toString());
        try {
            Files.writeString(Paths.get(words.get(words.size() - 1)), recorded);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Outcome(programExits, "");
    }

    private RunResult result(String part) {
        if (part.equals(starved)) {
            return RunFiguresTest.starved(false);
        }
        RunPlan plan = RunPlan.builder()
                .capture(CaptureReference.builder()
                        .path("http://h/")
                        .sha256("0".repeat(64))
                        .streamSha256("0".repeat(64))
                        .requests(1)
                        .requestBytes(1)
                        .connections(1)
                        .durationNs(1)
                        .build())
                .target(TargetPlan.builder("c2").profile("c2").build())
                .target(TargetPlan.builder("graal").profile("graal").build())
                .pace(Pace.MAX)
                .connections(1)
                .build();
        RunResult.Builder result = RunResult.builder(plan)
                .startedAt(START)
                .finishedAt(START)
                .target(target("c2", 100_000_000, 104_000_000))
                .target(target("graal", 150_000_000))
                .environment(Environment.builder()
                        .lockstepVersion(version)
                        .kernel("Linux")
                        .cpuModel("Example CPU")
                        .cores(2)
                        .memoryBytes(1 << 30)
                        .clock("tsc")
                        .jvm("OpenJDK", "17", List.of())
                        .transport("epoll")
                        .cgroup("v1")
                        .build())
                .verdict(Verdict.builder("throughput", "graal", "c2")
                        .ratio(0.8)
                        .interval95(Verdict.Interval.of(part.equals("kind-a") ? 0.7 : 0.78, 0.91))
                        .finding(Verdict.Finding.WORSE)
                        .launches(3)
                        .indicative(true)
                        .build());
        if (part.equals(invalid)) {
            result.statusReason("it was late");
        }
        if (part.endsWith("m")) {
            boolean holds = Integer.parseInt(part.substring(0, part.length() - 1)) >= LEAST_THAT_HOLDS;
            result.assertion(AssertionResult.of(
                    "c2.errors == 0", holds, OptionalDouble.of(0), OptionalDouble.of(0), "c2.errors == 0"));
        }
        return result.build();
    }

    private TargetResult target(String name, long... jvmNs) {
        TargetResult.Builder target = TargetResult.builder(name).jvm(jvm).jit("HotSpot C2");
        for (int i = 0; i < jvmNs.length; i++) {
            target.launch(LaunchResult.builder(i + 1, 1)
                    .startup(Startup.of(OptionalLong.of(jvmNs[i]), OptionalLong.empty(), OptionalLong.empty()))
                    .build());
        }
        return target.build();
    }

    @Override
    public Map<String, String> start(List<Service> services, Path folder) {
        if (!services.isEmpty()) {
            throw new ExperimentException("service " + services.get(0).name() + ": expected an open port, found none");
        }
        return Map.of();
    }

    @Override
    public Optional<String> stop() {
        boolean isWithout =
                !carriedOut.isEmpty() && carriedOut.get(carriedOut.size() - 1).equals(withoutService);
        return isWithout ? Optional.of("service store ended while targets used it") : Optional.empty();
    }

    @Override
    public Map<String, String> places() {
        return Map.of("root", "/lockstep");
    }

    @Override
    public OptionalLong plannedNs(List<String> words) {
        return OptionalLong.of(1_000_000_000L);
    }

    @Override
    public boolean isInterrupted() {
        return interrupted;
    }
}
