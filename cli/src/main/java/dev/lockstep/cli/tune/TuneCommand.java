package dev.lockstep.cli.tune;

import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.ToolCommand;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.search.Control;
import dev.lockstep.search.Engine;
import dev.lockstep.search.Journal;
import dev.lockstep.search.ProgramEngine;
import dev.lockstep.search.ProgramEvaluator;
import dev.lockstep.search.Search;
import dev.lockstep.search.SearchPlan;
import dev.lockstep.search.SearchResult;
import dev.lockstep.search.SpaceException;
import dev.lockstep.search.SpaceFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tune}: searches a space for better parameters. */
@Command(
        name = "tune",
        header = "Searches for better parameters, such as JVM flags.",
        description = "Searches a space of parameters for the best configuration (docs/tuning.md). Killed at any time, "
                + "the same command goes on.",
        footer = {
            "  replay tune --space graal-inlining capture.bin",
            "  replay tune --space c2-inlining --dry-run capture.bin",
            "  replay tune tune.yaml --evaluate 'exec:./deploy-and-measure' -o search",
            "  replay tune --control lockstep-tuning/graal-inlining pause"
        },
        exitCodeList = {
            "0:Done, whatever was found.",
            "1:Failed, or interrupted: the same command goes on.",
            "2:Wrong command line or space.",
            "3:The verification is INVALID."
        })
public final class TuneCommand extends ToolCommand {
    private static final Path SEARCHES = Paths.get("lockstep-tuning");
    private static final String EXEC = "exec:";
    private static final int MOST_EVALUATIONS = 10_000;

    private final Interruption interruption;

    @Parameters(
            arity = "0..2",
            paramLabel = "[SPACE] [CAPTURE]",
            description = "The space file, unless --space names one of Lockstep's own; the capture, unless --evaluate "
                    + "names a program. With --control: pause, resume, skip or conclude.")
    private List<String> words = new ArrayList<>();

    @Heading("What to search")
    @Option(
            names = "--space",
            paramLabel = "NAME",
            description = "One of Lockstep's own spaces: graal-inlining, graal-all, c2-inlining, gc, heap, memory-cap, "
                    + "openj9.")
    private String space;

    @Heading("What to search")
    @Option(
            names = "--evaluations",
            paramLabel = "N",
            description = "How many configurations are tried, in all. Default: what the space says, else 40.")
    private Integer evaluations;

    @Heading("What to search")
    @Option(names = "--add-evaluations", paramLabel = "N", description = "Adds so many to a search that is finished.")
    private Integer added;

    @Heading("What to search")
    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Two searches with the same seed and the same values try the same. Default: what the space "
                    + "says, else 1.")
    private Long seed;

    @Heading("Programs")
    @Option(
            names = "--evaluate",
            paramLabel = "exec:COMMAND",
            description = "Hands each configuration to a program, which is started once and answers a line of JSON by "
                    + "a line.")
    private String evaluate;

    @Heading("Programs")
    @Option(
            names = "--engine",
            paramLabel = "exec:COMMAND",
            description = "Has a program choose the configurations, such as an optimiser of another library.")
    private String engine;

    @Heading("Output")
    @Option(
            names = {"-o", "--directory"},
            paramLabel = "DIR",
            description = "The directory of the search, with its journal. Default: lockstep-tuning/ with the space's "
                    + "name.")
    private Path directory;

    @Heading("Output")
    @Option(
            names = "--force",
            description = "Begins anew where DIR has a finished search or another one. An unfinished one goes on.")
    private boolean force;

    @Heading("Output")
    @Option(names = "--json", description = "Prints the result on standard output as JSON and nothing else.")
    private boolean json;

    @Heading("Output")
    @Option(
            names = "--control",
            paramLabel = "DIR",
            description = "Tells the search that runs in DIR to pause, resume, skip this evaluation, or conclude.")
    private Path control;

    /** @param interruption which ends the search, to go on another time */
    public TuneCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        if (control != null) {
            return control();
        }
        check();
        SearchPlan plan = plan();
        return search(plan);
    }

    // ---- what is asked for --------------------------------------------------------------------------------------

    private void check() {
        for (Integer count : new Integer[] {evaluations, added}) {
            if (count != null && (count < 1 || count > MOST_EVALUATIONS)) {
                throw new UsageException((count.equals(evaluations) ? "--evaluations" : "--add-evaluations")
                        + ": expected 1 to " + MOST_EVALUATIONS + ", found " + count);
            }
        }
        program("--evaluate", evaluate);
        program("--engine", engine);
        int expected = (space == null ? 1 : 0) + (evaluate == null ? 1 : 0);
        if (words.size() != expected) {
            List<String> names = new ArrayList<>();
            if (space == null) {
                names.add("a space file");
            }
            if (evaluate == null) {
                names.add("a capture");
            }
            throw new UsageException("expected "
                    + (names.isEmpty() ? "no argument beside --space and --evaluate" : String.join(" and ", names))
                    + ", found " + (words.isEmpty() ? "none" : String.join(" ", words))
                    + (space == null ? "; --space NAME has " + String.join(", ", SpaceFile.builtIn()) : ""));
        }
    }

    /** Returns the command of an option, null where it is not given. */
    private static String program(String option, String value) {
        if (value == null) {
            return null;
        }
        if (!value.startsWith(EXEC) || value.substring(EXEC.length()).isBlank()) {
            throw new UsageException(option + ": expected exec:COMMAND, found '" + value + "'");
        }
        return value.substring(EXEC.length());
    }

    private SearchPlan plan() {
        SearchPlan plan;
        try {
            plan = space == null
                    ? SpaceFile.read(Paths.get(words.get(0)))
                    : SpaceFile.builtIn(space)
                            .orElseThrow(() -> new UsageException("--space: expected one of "
                                    + String.join(", ", SpaceFile.builtIn()) + ", found '" + space
                                    + "'; a space file is given without --space"));
        } catch (SpaceException e) {
            throw new UsageException(e.getMessage());
        }
        if (evaluations != null) {
            plan = plan.withEvaluations(evaluations);
        }
        return seed == null ? plan : plan.withSeed(seed);
    }

    /** Returns the search's directory, the same for the same command. */
    private Path directory() {
        if (directory != null) {
            return directory;
        }
        String name = space != null
                ? space
                : Paths.get(words.get(0)).getFileName().toString().replaceFirst("\\.[A-Za-z]+$", "");
        return SEARCHES.resolve(name);
    }

    // ---- what is done -------------------------------------------------------------------------------------------

    private int control() {
        Control.Wish wish = words.size() == 1 ? Control.Wish.of(words.get(0)).orElse(null) : null;
        if (wish == null) {
            throw new UsageException("--control: expected one of " + Control.Wish.labels() + ", found "
                    + (words.isEmpty() ? "none" : "'" + String.join(" ", words) + "'"));
        }
        if (!Journal.isWritten(control)) {
            throw new CliException(control + ": expected a search that runs, found one that does not");
        }
        Control.of(control, () -> false).wish(wish);
        return ExitCode.DONE;
    }

    private int search(SearchPlan plan) {
        PrintWriter err = spec.commandLine().getErr();
        PrintWriter out = spec.commandLine().getOut();
        Map<String, String> how = new LinkedHashMap<>();
        how.put("evaluate", evaluate);
        if (engine != null) {
            how.put("engine", engine);
        }
        Path folder = directory();
        interruption.onRequest(() -> {});
        try (Journal journal = Journal.open(folder, plan, how, force)) {
            Control wishes = Control.of(folder, interruption::isRequested);
            Search search = new Search(
                    plan, journal, wishes, new SearchPrinter(err, Scale.PLAIN, false), added == null ? 0 : added);
            SearchResult result;
            try (Engine chosen = engine(search, plan, folder)) {
                String command = program("--evaluate", evaluate);
                result = search.run(chosen, count -> ProgramEvaluator.start(command, plan.space(), folder));
            }
            if (json) {
                out.print(result.toJson());
            } else {
                boolean whole = result.told().size() >= result.evaluations();
                new SearchScreen(result, Scale.PLAIN)
                        .lines(
                                "Search: " + folder + ". Next, " + (whole ? "more of it:" : "the same to its end:"),
                                words(whole ? List.of("--add-evaluations", "10") : List.of()))
                        .forEach(out::println);
            }
            out.flush();
            return result.interrupted() ? ExitCode.FAILED : ExitCode.DONE;
        }
    }

    private Engine engine(Search search, SearchPlan plan, Path folder) {
        return engine == null
                ? search.engine()
                : ProgramEngine.start(
                        program("--engine", engine), plan, search.evaluations(), folder, interruption::isRequested);
    }

    /** Returns the words of this command, with more of them, as a shell takes them. */
    private String words(List<String> more) {
        List<String> all = new ArrayList<>(List.of(System.getProperty("lockstep.command", "replay")));
        List<String> given = spec.commandLine().getParseResult().originalArgs();
        boolean isValue = false;
        for (String word : given) {
            boolean isLeftOut = word.equals("--force") || word.equals("--json") || word.equals("--add-evaluations");
            if (!isLeftOut && !isValue && !word.startsWith("--add-evaluations=")) {
                all.add(word);
            }
            isValue = word.equals("--add-evaluations");
        }
        all.addAll(more);
        return all.stream()
                .map(word -> word.matches("[A-Za-z0-9_@%+=:,./^-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }
}
