package dev.lockstep.cli;

import dev.lockstep.cli.terminal.Interruption;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** docs/options.md is made from the command line. {@code -Ddocs.write} writes it anew. */
final class OptionsPageTest {
    @Test
    void pageIsWhatTheCommandLineSays() throws IOException {
        TestingDocumentation.assertMade("docs/options.md", page(), OptionsPageTest.class);
    }

    private static String page() {
        CommandLine line = Main.commandLine(Interruption.detached());
        StringBuilder page = new StringBuilder("# Options\n\nAll commands and their options, made from the command"
                + " line's own help by `OptionsPageTest`. Every command\nalso has `--help` and `--version`.\n");
        add(line.getCommandSpec(), page);
        line.getSubcommands().values().forEach(command -> add(command.getCommandSpec(), page));
        return page.toString();
    }

    private static void add(CommandSpec spec, StringBuilder page) {
        page.append("\n## ").append(spec.qualifiedName()).append("\n\n");
        page.append(text(spec.usageMessage().description())).append("\n");
        if (!spec.positionalParameters().isEmpty()) {
            page.append("\n| Argument | Meaning |\n|---|---|\n");
            for (PositionalParamSpec argument : spec.positionalParameters()) {
                row(page, argument.paramLabel(), argument.description());
            }
        }
        HelpLayout.groups(spec).forEach((heading, options) -> {
            StringBuilder rows = new StringBuilder();
            for (OptionSpec option : options) {
                if (!option.usageHelp() && !option.versionHelp()) {
                    row(rows, String.join(", ", option.names()) + label(spec, option), option.description());
                }
            }
            if (rows.length() > 0) {
                page.append("\n| ").append(heading).append(" | |\n|---|---|\n").append(rows);
            }
        });
        page.append("\n| Exit code | |\n|---|---|\n");
        spec.usageMessage().exitCodeList().forEach((code, meaning) -> page.append("| ")
                .append(code)
                .append(" | ")
                .append(meaning)
                .append(" |\n"));
    }

    static String label(CommandSpec spec, OptionSpec option) {
        spec.parser().separator(" ");
        return new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF))
                .parameterLabelRenderer()
                .renderParameterLabel(option, Help.Ansi.OFF, List.of())
                .toString();
    }

    private static void row(StringBuilder page, String name, String[] description) {
        page.append("| `").append(name.replace("|", "\\|")).append("` | ");
        page.append(text(description).replace("|", "\\|").replace("<", "\\<").replace("*", "\\*"));
        page.append(" |\n");
    }

    /** Returns a description with its percent signs as the help shows them, and with links to the pages it names. */
    private static String text(String[] description) {
        return String.join(" ", description).replace("%%", "%").replaceAll("docs/([a-z-]+\\.md)", "[$1]($1)");
    }
}
