package dev.lockstep.cli.experiment;

import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.targets.Installation;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.experiment.Part;
import dev.lockstep.experiment.PartRunner;
import dev.lockstep.experiment.Service;
import dev.lockstep.launcher.Executables;
import dev.lockstep.launcher.JvmInventory;
import dev.lockstep.launcher.TargetFailedException;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.directory.OwnerOnly;
import dev.lockstep.results.json.Json;
import dev.lockstep.run.RunPlanner;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import picocli.CommandLine;

/** Carries out parts as commands in this process, each as if it had been typed. Used by one thread. */
final class CommandRunner implements PartRunner {
    private static final String ERROR = "replay: ";

    private final Supplier<CommandLine> line;
    private final Interruption interruption;
    private final PrintWriter err;
    private final List<RunningService> running = new ArrayList<>();
    private JvmInventory inventory;
    /** What only plans; made once, for making it takes longer than to plan. */
    private CommandLine planner;

    /**
     * @param line makes the whole command
     * @param err shows a person how a part goes
     */
    CommandRunner(Supplier<CommandLine> line, Interruption interruption, PrintWriter err) {
        this.line = line;
        this.interruption = interruption;
        this.err = err;
    }

    @Override
    public Optional<String> whyNot(Part part, List<Service> services) {
        for (Service service : services) {
            String program = service.command().get(0);
            if (Executables.find(program).isEmpty()) {
                return Optional.of(program + " is not installed (Debian: apt-get install " + program + ")");
            }
        }
        if (inventory == null) {
            inventory = JvmInventory.discover(Installation.locate().graalJars());
        }
        try {
            if (!part.targets().isEmpty()) {
                TargetSpec.parseAll(String.join(",", part.targets()), Map.of()).forEach(inventory::require);
            }
            return Optional.empty();
        } catch (TargetFailedException | IllegalArgumentException e) {
            // Of a wrong name among the targets too, so that the others go on.
            return Optional.of(e.getMessage());
        }
    }

    @Override
    public Outcome run(List<String> words, Path log) {
        // A person sees how it goes; elsewhere a file does.
        boolean watched = Terminal.isWatched();
        LastError said = new LastError(ERROR, watched ? err : file(log, ".log"), !watched);
        CommandLine command = line.get();
        AtomicBoolean late = new AtomicBoolean();
        CommandLine.IExecutionExceptionHandler handler = command.getExecutionExceptionHandler();
        command.setExecutionExceptionHandler((e, failed, parsed) -> {
            late.set(e instanceof TargetFailedException && ((TargetFailedException) e).isLate());
            return handler.handleExecutionException(e, failed, parsed);
        });
        int exitCode;
        try (PrintWriter out = file(log, ".txt");
                PrintWriter told = new PrintWriter(said, true)) {
            exitCode = command.setOut(out).setErr(told).execute(words.toArray(new String[0]));
        }
        return new Outcome(exitCode, said.message(), late.get());
    }

    @Override
    public Outcome execute(List<String> words, Path log) {
        return RunningService.execute(words, log, interruption::isRequested);
    }

    private static PrintWriter file(Path log, String ending) {
        Path file = log.resolveSibling(log.getFileName() + ending);
        try {
            return new PrintWriter(OwnerOnly.writer(file));
        } catch (IOException e) {
            throw new CliException(file + ": cannot be written: " + MeasurementException.reason(e));
        }
    }

    @Override
    public Map<String, String> start(List<Service> services, Path folder) {
        Map<String, String> addresses = new LinkedHashMap<>();
        for (Service service : services) {
            RunningService started = RunningService.start(service, folder);
            running.add(started);
            addresses.put(service.name(), started.address());
        }
        return addresses;
    }

    @Override
    public Optional<String> stop() {
        Optional<String> lost =
                running.stream().flatMap(service -> service.whyEnded().stream()).findFirst();
        running.forEach(RunningService::stop);
        running.clear();
        return lost;
    }

    @Override
    public Map<String, String> places() {
        Installation installation = Installation.locate();
        return Map.of(
                "root", installation.root().toString(),
                "targetApp", installation.targetAppPlace().toString(),
                "processors", RunningService.split(),
                "thisJava",
                        Paths.get(System.getProperty("java.home"), "bin", "java")
                                .toString());
    }

    @Override
    public OptionalLong plannedNs(List<String> words) {
        StringWriter out = new StringWriter();
        List<String> dry = new ArrayList<>(words);
        dry.addAll(0, List.of("--dry-run", "--json"));
        if (planner == null) {
            planner = line.get();
        }
        int exitCode = planner.setOut(new PrintWriter(out))
                .setErr(new PrintWriter(Writer.nullWriter()))
                .execute(dry.toArray(new String[0]));
        return exitCode == ExitCode.DONE
                ? RunPlanner.runNs(RunPlan.fromJson(
                        "plan", Json.parse("plan", out.toString()).path("plan").toString()))
                : OptionalLong.empty();
    }

    @Override
    public boolean isInterrupted() {
        return interruption.isRequested();
    }
}
