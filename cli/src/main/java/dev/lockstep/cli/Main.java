package dev.lockstep.cli;

import dev.lockstep.cli.captures.ExportCommand;
import dev.lockstep.cli.captures.FilterCommand;
import dev.lockstep.cli.captures.ImportCommand;
import dev.lockstep.cli.captures.InspectCommand;
import dev.lockstep.cli.captures.RecordCommand;
import dev.lockstep.cli.captures.VerifyCommand;
import dev.lockstep.cli.command.CommandNames;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.OutputWriter;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.cli.experiment.ExperimentCommand;
import dev.lockstep.cli.options.PathConverter;
import dev.lockstep.cli.replay.CompareCommand;
import dev.lockstep.cli.replay.RecoverCommand;
import dev.lockstep.cli.replay.ReplayCommand;
import dev.lockstep.cli.replay.ReportCommand;
import dev.lockstep.cli.targets.DoctorCommand;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.cli.terminal.Terminal;
import dev.lockstep.cli.tune.TuneCommand;
import dev.lockstep.results.Keys;
import dev.lockstep.run.ExpectedFailure;
import dev.lockstep.run.RunConfig;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code replay} command: reads the command line, runs what it asks for, turns the outcome into an exit code. */
public final class Main {
    private static final Pattern WRONG_VALUE =
            Pattern.compile("Invalid value for (?:option '([^']+)'|positional parameter)[^:]*: (.*)", Pattern.DOTALL);
    private static final Pattern NONE_OF_ENUM =
            Pattern.compile("expected one of \\[(.*)] \\(case-insensitive\\) but was ('.*')", Pattern.DOTALL);
    /** An option of one command alone. */
    private static final String EVALUATE = "--evaluate";

    /** What looks like a port, with a host or without. */
    private static final Pattern PORT = Pattern.compile("(.*:)?\\d+");

    private static final Pattern NO_NUMBER = Pattern.compile("('.*') is not an? (int|long)");
    private static final Pattern DIGITS = Pattern.compile("'[0-9]+'");

    private static final String DASHES = "--";

    /** What hey, wrk, wrk2 and curl call otherwise; where they share a name with us, it means the same. */
    private static final Map<String, String> OTHERS_NAMES = Map.ofEntries(
            Map.entry("-R", "-q"),
            Map.entry("--rate", "-q"),
            Map.entry("-X", "-m"),
            Map.entry("--request", "-m"),
            Map.entry("--data", "-d"),
            Map.entry("--header", "-H"),
            Map.entry("-a", "-H 'Authorization: ...'"),
            Map.entry("-A", "-H 'Accept: ...'"),
            Map.entry("-k", "--tls-insecure"),
            Map.entry("--insecure", "--tls-insecure"),
            Map.entry("--connections", "-c"));

    /** Options of hey, wrk and curl that are not needed or have no like here, and why. */
    private static final Map<String, String> OTHERS_ALONE = Map.ofEntries(
            Map.entry("--latency", "percentiles are always printed"),
            Map.entry("-x", "requests go to the server itself, through no proxy"),
            Map.entry("--proxy", "requests go to the server itself, through no proxy"),
            Map.entry("-s", "scripts of wrk are not run; requests that differ come from a capture"),
            Map.entry("--script", "scripts of wrk are not run; requests that differ come from a capture"));

    /** hey's letters for HTTP/2, which picocli takes for a call for help. */
    private static final String HEYS_HTTP2 = "-h2";

    /** What people type behind the program's name as if it were a command. */
    private static final String PROGRAM = "replay";

    private Main() {}

    public static void main(String[] args) {
        Interruption interruption = Interruption.install();
        int exitCode = ExitCode.FAILED;
        try {
            CommandLine line = commandLine(interruption);
            line.setErr(new OutputWriter(new FileOutputStream(FileDescriptor.err), Terminal.encoding("stderr")));
            StandardOutput out =
                    new StandardOutput(new FileOutputStream(FileDescriptor.out), Path.of("/proc/self/fd/1"));
            exitCode = execute(line, out, args);
        } finally {
            interruption.finished(exitCode);
        }
        System.exit(exitCode);
    }

    /** Executes the command; where not all of its result could be printed, it says so and has failed. */
    static int execute(CommandLine line, StandardOutput out, String... args) {
        PrintWriter writer = out.writer();
        int exitCode = line.setOut(writer).execute(withCommand(line, args));
        writer.flush();
        Optional<String> problem = out.problem();
        if (problem.isEmpty()) {
            return exitCode;
        }
        Terminal.error(
                line.getErr(),
                "standard output could not be written: " + problem.get() + "; what was printed there is not complete");
        return exitCode == ExitCode.DONE ? ExitCode.FAILED : exitCode;
    }

    /** A space file and what evaluates it say that a search is meant, though its command is left out. */
    static String[] withCommand(CommandLine line, String... args) {
        boolean isSearch = Arrays.stream(args).anyMatch(arg -> arg.equals(EVALUATE) || arg.startsWith(EVALUATE + "="))
                && !line.getSubcommands().containsKey(args[0]);
        return isSearch ? Stream.concat(Stream.of("tune"), Arrays.stream(args)).toArray(String[]::new) : args;
    }

    /** Returns the whole command, ready to execute; tests give it their own writers. */
    static CommandLine commandLine(Interruption interruption) {
        return commandLine(interruption, UnaryOperator.identity());
    }

    /** @param adjust changes the configuration of a run, in tests */
    static CommandLine commandLine(Interruption interruption, UnaryOperator<RunConfig.Builder> adjust) {
        CommandLine line = new CommandLine(new ReplayCommand(interruption, adjust))
                .addSubcommand(new RecordCommand(interruption))
                .addSubcommand(new ImportCommand(interruption))
                .addSubcommand(new ExportCommand(interruption))
                .addSubcommand(new InspectCommand())
                .addSubcommand(new FilterCommand(interruption))
                .addSubcommand(new VerifyCommand())
                .addSubcommand(new ReportCommand())
                .addSubcommand(new CompareCommand())
                .addSubcommand(new TuneCommand(interruption, adjust))
                .addSubcommand(new ExperimentCommand(interruption, () -> commandLine(interruption, adjust)))
                .addSubcommand(new RecoverCommand())
                .addSubcommand(new DoctorCommand())
                .addSubcommand(new CompletionCommand())
                .addSubcommand(new HelpCommand());
        // As wide as the terminal, and 80 where none is known; asked for only when a help is printed.
        line.setUsageHelpAutoWidth(true);
        line.registerConverter(Path.class, new PathConverter());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        // As of a directory named report: -o report.
        line.setAllowSubcommandsAsOptionParameters(true);
        // "--name=value" and "--name value" are both read; the help shows the second.
        line.setHelpFactory((spec, colors) -> {
            spec.parser().separator(" ");
            return new Help(spec, colors);
        });
        HelpLayout.apply(line);
        line.setExecutionStrategy(result -> {
            if (result.isUsageHelpRequested() && result.originalArgs().contains(HEYS_HTTP2)) {
                throw new ParameterException(
                        line, HEYS_HTTP2 + ": a URL is asked by HTTP/1.1; HTTP/2 is replayed from a capture");
            }
            return new RunLast().execute(result);
        });
        line.setParameterExceptionHandler((e, args) -> usageError(
                e.getCommandLine(),
                CommandNames.mistyped(line, Arrays.asList(args)).orElseGet(() -> describe(e, Arrays.asList(args)))));
        line.setExecutionExceptionHandler((e, command, result) -> failure(e, command));
        return line;
    }

    private static int failure(Exception e, CommandLine command) throws Exception {
        if (e instanceof UsageException) {
            return usageError(command, e.getMessage());
        }
        if (!ExpectedFailure.isExpected(e)) {
            // A defect of ours, which takes the whole trace to mend.
            throw e;
        }
        Terminal.error(command.getErr(), e.getMessage());
        return ExitCode.FAILED;
    }

    private static int usageError(CommandLine command, String message) {
        // Behind a question begins another sentence.
        Terminal.error(
                command.getErr(),
                message + (message.endsWith("?") ? " See " : "; see ")
                        + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    /** Returns picocli's finding in our form: "-z: expected this, found that". */
    private static String describe(ParameterException e, List<String> args) {
        if (e instanceof UnmatchedArgumentException) {
            UnmatchedArgumentException unmatched = (UnmatchedArgumentException) e;
            // For an argument, which is a file mostly, picocli would suggest commands.
            String word = unmatched.getUnmatched().get(0);
            if (word.equals("-")) {
                return "unknown argument -; what has no FILE, such as --csv, prints by itself: leave out -";
            }
            int live = args.indexOf("--live");
            if (!unmatched.isUnknownOption()
                    && live >= 0
                    && live + 1 < args.size()
                    && PORT.matcher(args.get(live + 1)).matches()) {
                return "unknown argument " + word + "; a port goes behind --live with =: --live=" + args.get(live + 1);
            }
            boolean isReplay = e.getCommandLine().getParent() == null;
            if (isReplay && !unmatched.isUnknownOption() && args.get(0).equals(PROGRAM)) {
                return "unknown argument " + word + "; leave out the word " + PROGRAM + " before it";
            }
            String name = word.split("=", 2)[0];
            if (isReplay && OTHERS_ALONE.containsKey(name)) {
                return "unknown option " + word + "; " + OTHERS_ALONE.get(name);
            }
            String other = isReplay ? OTHERS_NAMES.get(name) : null;
            List<String> suggestions =
                    other != null ? List.of(other) : unmatched.isUnknownOption() ? suggestions(unmatched) : List.of();
            return "unknown "
                    + (unmatched.isUnknownOption() ? "option " : "argument ")
                    + word
                    + (suggestions.isEmpty() ? "" : "; did you mean " + String.join(" or ", suggestions) + "?");
        }
        String message = e.getMessage();
        Matcher wrongValue = WRONG_VALUE.matcher(message);
        if (wrongValue.matches()) {
            ArgSpec argument = e.getArgSpec();
            String name = argument == null
                    ? wrongValue.group(1)
                    : argument.isOption() ? typed((OptionSpec) argument, args) : argument.paramLabel();
            Matcher noneOfEnum = NONE_OF_ENUM.matcher(wrongValue.group(2));
            if (noneOfEnum.matches()) {
                String[] words = noneOfEnum.group(1).toLowerCase(Locale.ROOT).split(", ");
                return name + ": expected " + Keys.all(words, word -> word) + ", found " + noneOfEnum.group(2);
            }
            Matcher noNumber = NO_NUMBER.matcher(wrongValue.group(2));
            return name + ": "
                    + (noNumber.matches()
                            ? "expected a whole number" + limit(noNumber) + ", found " + noNumber.group(1)
                            : wrongValue.group(2));
        }
        String told = message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
        List<ArgSpec> missing =
                e instanceof MissingParameterException ? ((MissingParameterException) e).getMissing() : List.of();
        if (missing.size() == 1 && missing.get(0).isOption()) {
            OptionSpec option = (OptionSpec) missing.get(0);
            return told.replace("option '" + option.longestName() + "'", "option '" + typed(option, args) + "'");
        }
        return told;
    }

    /** Returns the options that may be meant: those like it, else those a slip of the fingers away. */
    private static List<String> suggestions(UnmatchedArgumentException unmatched) {
        String word = unmatched.getUnmatched().get(0).split("=", 2)[0];
        if (!unmatched.getSuggestions().isEmpty() || !word.startsWith(DASHES)) {
            return unmatched.getSuggestions();
        }
        List<String> names = unmatched.getCommandLine().getCommandSpec().optionsMap().keySet().stream()
                .filter(name -> name.startsWith(DASHES))
                .map(name -> name.substring(DASHES.length()))
                .collect(Collectors.toList());
        return CommandNames.nearest(word.substring(DASHES.length()), names).stream()
                .map(DASHES::concat)
                .collect(Collectors.toList());
    }

    /** Returns, of what is a whole number but too large, how large it may be at most. */
    private static String limit(Matcher noNumber) {
        long most = noNumber.group(2).equals("int") ? Integer.MAX_VALUE : Long.MAX_VALUE;
        return DIGITS.matcher(noNumber.group(1)).matches() ? " of at most " + most : "";
    }

    /** Returns the name of an option that was typed, else its first: picocli names the longest. */
    private static String typed(OptionSpec option, List<String> args) {
        List<String> names = List.of(option.names());
        return args.stream()
                .map(arg -> arg.split("=", 2)[0])
                .filter(names::contains)
                .findFirst()
                .orElse(names.get(0));
    }
}
