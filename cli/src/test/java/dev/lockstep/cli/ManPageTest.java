package dev.lockstep.cli;

import static dev.lockstep.cli.OptionsPageTest.label;

import dev.lockstep.cli.terminal.Interruption;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** docs/replay.1 is made from the command line, for man(1). {@code -Ddocs.write} writes it anew. */
final class ManPageTest {
    @Test
    void pageIsWhatTheCommandLineSays() throws IOException {
        TestingDocumentation.assertMade("docs/replay.1", page(), ManPageTest.class);
    }

    private static String page() {
        CommandLine line = Main.commandLine(Interruption.detached());
        CommandSpec replay = line.getCommandSpec();
        StringBuilder page = new StringBuilder(".\\\" made by ManPageTest; man -l docs/replay.1 shows it\n"
                + ".TH REPLAY 1 \"\" Lockstep \"User commands\"\n.SH NAME\nreplay \\- "
                + "records requests and replays them to several JVMs\n.SH SYNOPSIS\n.nf\n");
        for (String synopsis : replay.usageMessage().customSynopsis()) {
            page.append(escaped(synopsis.strip())).append('\n');
        }
        page.append(".fi\n.SH DESCRIPTION\n").append(text(replay.usageMessage().description()));
        options(replay, page);
        page.append(".SH COMMANDS\n");
        line.getSubcommands().values().forEach(command -> {
            CommandSpec spec = command.getCommandSpec();
            page.append(".SS ").append(escaped(spec.qualifiedName())).append('\n');
            page.append(text(spec.usageMessage().description()));
            options(spec, page);
        });
        page.append(".SH EXIT STATUS\n");
        replay.usageMessage()
                .exitCodeList()
                .forEach((code, meaning) ->
                        page.append(".TP\n.B ").append(code).append('\n').append(text(meaning)));
        page.append(".SH EXAMPLES\n.nf\n");
        for (String example : replay.usageMessage().footer()) {
            page.append(escaped(example.strip())).append('\n');
        }
        return page.append(".fi\n").toString();
    }

    private static void options(CommandSpec spec, StringBuilder page) {
        for (PositionalParamSpec argument : spec.positionalParameters()) {
            entry(page, argument.paramLabel(), argument.description());
        }
        HelpLayout.groups(spec).forEach((heading, options) -> {
            for (OptionSpec option : options) {
                entry(page, String.join(", ", option.names()) + label(spec, option), option.description());
            }
        });
    }

    private static void entry(StringBuilder page, String name, String... description) {
        page.append(".TP\n.B ").append(escaped(name)).append('\n').append(text(description));
    }

    /** Returns a paragraph, on one line so that no line of it begins as a request of roff. */
    private static String text(String... words) {
        return "\\&" + escaped(String.join(" ", words).replace("%%", "%")) + "\n";
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq");
    }
}
