package dev.lockstep.cli.experiment;

import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.cli.command.ReportFile;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.targets.Installation;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.experiment.Definition;
import dev.lockstep.experiment.ExperimentException;
import dev.lockstep.experiment.ExperimentListener;
import dev.lockstep.experiment.ExperimentResult;
import dev.lockstep.experiment.ExperimentRun;
import dev.lockstep.experiment.Size;
import dev.lockstep.measurement.Quantities;
import dev.lockstep.page.ExperimentPage;
import dev.lockstep.replayer.engine.ConnectionLimits;
import dev.lockstep.results.json.Json;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code experiment}: carries out a published experiment, and sets what it finds beside what was published. */
@Command(
        name = "experiment",
        header = "Repeats a published experiment, and sets its figures beside the published ones.",
        description = "Carries out a published experiment part by part (docs/experiments.md), and prints its figures "
                + "beside the published ones. Killed at any time, the same command goes on with the part that was cut.",
        footer = {
            "  replay experiment --list",
            "  replay experiment jit-hotspots --quick",
            "  replay experiment cloud-memory",
            "  replay experiment wholly-graal --only 'record-thrift,finagle-thrift-jdk17'",
            "  replay experiment autotune --quick --json"
        },
        exitCodeList = {
            "0:Came to its end; the table says which parts failed, were skipped or are INVALID.",
            "1:Failed: not one figure was found, or interrupted: the same command goes on.",
            "2:Wrong command line or definition."
        })
public final class ExperimentCommand extends ToolCommand {
    private static final Path DIRECTORIES = Paths.get("lockstep-experiments");

    private final Interruption interruption;
    private final Supplier<CommandLine> line;

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            description = "The experiment, a folder in experiments/; or a path to such a folder.")
    private String name;

    @Option(
            names = "--list",
            description = "Lists the experiments: what each asks, and how long its three sizes take; with --json as "
                    + "JSON.")
    private boolean list;

    @Option(
            names = "--quick",
            description = "A few minutes on two processors: fewer parts, and fewer and shorter launches.")
    private boolean quick;

    @Option(
            names = "--smoke",
            description = "Under a minute: proves only that all works together. Its figures mean nothing.")
    private boolean smoke;

    @Option(
            names = "--only",
            paramLabel = "PART",
            split = ",",
            description = "Carries out these parts alone, * for any characters. With the same directory, what was done "
                    + "before has its figures too.")
    private List<String> only = List.of();

    @Option(
            names = {"-o", "--directory"},
            paramLabel = "DIR",
            description = "Where the parts' run directories, the table and the page go. Default: "
                    + "lockstep-experiments/ with the name and the size.")
    private Path directory;

    @Option(names = "--json", description = "Prints the figures on standard output as JSON and nothing else.")
    private boolean json;

    /**
     * @param interruption which ends the experiment, to go on another time
     * @param line makes the whole command, which carries out the parts
     */
    public ExperimentCommand(Interruption interruption, Supplier<CommandLine> line) {
        this.interruption = interruption;
        this.line = line;
    }

    @Override
    public Integer call() {
        Path folder = Installation.locate().experiments();
        CommandRunner runner =
                new CommandRunner(line, interruption, spec.commandLine().getErr());
        if (list) {
            if (name != null || quick || smoke || directory != null || !only.isEmpty()) {
                throw new UsageException(
                        "--list shows all experiments in all sizes, with --json as JSON; leave out what else stands"
                                + " beside it");
            }
            list(folder, runner);
            return ExitCode.DONE;
        }
        if (quick && smoke) {
            throw new UsageException("--quick and --smoke are two sizes of an experiment; leave one out");
        }
        Size size = quick ? Size.QUICK : smoke ? Size.SMOKE : Size.FULL;
        Definition definition;
        try {
            definition = Definition.read(definition(folder), ConnectionLimits.ofThisProcess()::mostToEach);
        } catch (ExperimentException e) {
            throw new UsageException(e.getMessage());
        }
        Set<String> asked;
        try {
            asked = definition.partsLike(size, only);
        } catch (ExperimentException e) {
            throw new UsageException("--only: " + e.getMessage());
        }
        Path own = directory == null ? DIRECTORIES.resolve(definition.name() + "-" + size.key()) : directory;
        interruption.onRequest(() -> {});
        // What parts print goes into files, which have no colours.
        System.clearProperty("lockstep.terminal.output");
        ExperimentResult result = ExperimentRun.run(definition, size, own, runner, listener(), asked);
        String text = String.join("\n", result.lines()) + "\n";
        Path page = own.resolve("experiment.html");
        ReportFile.write(own.resolve("experiment.txt"), text);
        ReportFile.write(own.resolve("figures.json"), result.toJson());
        ReportFile.write(page, ExperimentPage.html(definition.title(), result.pageData(), text));
        PrintWriter out = output();
        if (json) {
            out.print(result.toJson());
        } else {
            text.lines().map(Terminal::printable).forEach(out::println);
            out.println();
            out.println("Page: " + Terminal.printable(page.toString()) + ". Run directories beside it.");
        }
        out.flush();
        return result.isInterrupted() || !result.hasResult() ? ExitCode.FAILED : ExitCode.DONE;
    }

    /** Returns the folder of the experiment that was named. */
    private Path definition(Path folder) {
        List<String> names = Definition.names(folder);
        if (name == null) {
            throw new UsageException("the name of an experiment is missing; there are " + String.join(", ", names));
        }
        if (names.contains(name)) {
            return folder.resolve(name);
        }
        if (name.contains("/")) {
            return Paths.get(name);
        }
        throw new UsageException("NAME: expected one of " + String.join(", ", names) + ", found '" + name
                + "'; another folder is" + " given as a path, ./" + name);
    }

    private PrintWriter output() {
        PrintWriter out = spec.commandLine().getOut();
        return json ? OutputWriter.utf8(out) : out;
    }

    private void list(Path folder, CommandRunner runner) {
        PrintWriter out = output();
        List<Map<String, Object>> documents = new ArrayList<>();
        for (String one : Definition.names(folder)) {
            Definition definition = Definition.read(folder.resolve(one));
            String asks = definition.asks().replaceAll("\\s+", " ");
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("experiment", one);
            document.put("title", definition.title());
            document.put("asks", asks);
            StringBuilder times = new StringBuilder("  about");
            for (Size size : Size.values()) {
                long aboutNs = definition.aboutNs(size, runner);
                document.put(size.key() + "Ns", aboutNs);
                times.append(size == Size.SMOKE ? " " : ", ")
                        .append(Quantities.duration(aboutNs))
                        .append(" --")
                        .append(size.key());
            }
            documents.add(document);
            if (!json) {
                out.println(one + ": " + definition.title());
                out.println("  " + asks);
                out.println(times.toString().replace(" --full", " in full"));
            }
        }
        if (json) {
            out.print(Json.print(documents));
        }
        out.flush();
    }

    private ExperimentListener listener() {
        PrintWriter err = spec.commandLine().getErr();
        return new ExperimentListener() {
            @Override
            public void begins(String part, int number, int of) {
                err.println(String.format(Locale.ROOT, "part %d of %d: %s", number, of, Terminal.printable(part)));
                err.flush();
            }

            @Override
            public void ended(String part, String what) {
                err.println(Terminal.printable("  " + part + ": " + what));
                err.flush();
            }
        };
    }
}
