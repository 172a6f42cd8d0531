package dev.lockstep.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_DESCRIPTION;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_EXIT_CODE_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_EXIT_CODE_LIST_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_FOOTER;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_FOOTER_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_OPTION_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_PARAMETER_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_PARAMETER_LIST_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_SYNOPSIS;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_SYNOPSIS_HEADING;

import dev.lockstep.cli.options.Heading;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** How help texts are laid out: examples (picocli's footer) first, then the options under headings by subject. */
final class HelpLayout {
    /** The heading of the options of commands that have few. */
    private static final String ALL = "Options";

    /** The heading of picocli's own options, --help and --version. */
    private static final String OTHER = "Other";

    /** The headings of each command with many options, in the order of the help; {@link Heading} names an option's. */
    private static final Map<String, List<String>> HEADINGS = Map.of(
            "replay",
            List.of("What to compare", "What to send", "When", "How long", "Comparing", "Output", "Security", OTHER),
            "record",
            List.of(
                    "Through a proxy",
                    "From an interface's packets",
                    "What to record, and how long",
                    "Secrets",
                    "The file",
                    OTHER),
            "import",
            List.of("What to read", "Secrets", "The file", OTHER),
            "filter",
            List.of("What to keep", "Secrets", "The file", "Encryption", OTHER),
            "tune",
            List.of(
                    "What to search",
                    "Programs",
                    "What to compare",
                    "What to send",
                    "When",
                    "How long",
                    "Output",
                    "Security",
                    OTHER));

    private HelpLayout() {}

    /** Lays out the help of a command and of all its subcommands. */
    static void apply(CommandLine line) {
        line.setHelpSectionKeys(List.of(
                SECTION_KEY_SYNOPSIS_HEADING,
                SECTION_KEY_SYNOPSIS,
                SECTION_KEY_DESCRIPTION,
                SECTION_KEY_FOOTER_HEADING,
                SECTION_KEY_FOOTER,
                SECTION_KEY_COMMAND_LIST_HEADING,
                SECTION_KEY_COMMAND_LIST,
                SECTION_KEY_PARAMETER_LIST_HEADING,
                SECTION_KEY_PARAMETER_LIST,
                SECTION_KEY_OPTION_LIST,
                SECTION_KEY_EXIT_CODE_LIST_HEADING,
                SECTION_KEY_EXIT_CODE_LIST));
        headings(line);
        line.getSubcommands().values().forEach(HelpLayout::headings);
    }

    private static void headings(CommandLine line) {
        CommandSpec spec = line.getCommandSpec();
        spec.usageMessage().abbreviateSynopsis(true).commandListHeading("%nCommands:%n");
        spec.usageMessage().exitCodeListHeading("%nExit codes:%n");
        spec.usageMessage().footerHeading("%nExamples:%n");
        if (!spec.positionalParameters().isEmpty()) {
            spec.usageMessage().parameterListHeading("%nArguments:%n");
        }
        line.getHelpSectionMap().put(SECTION_KEY_OPTION_LIST, HelpLayout::optionList);
    }

    /** The options of a command by their headings, in the order of the help: under each as the fields are declared. */
    static Map<String, List<OptionSpec>> groups(CommandSpec spec) {
        List<String> headings = HEADINGS.get(spec.name());
        if (headings == null) {
            return Map.of(ALL, spec.options());
        }
        Map<String, List<OptionSpec>> options = new LinkedHashMap<>();
        headings.forEach(heading -> options.put(heading, new ArrayList<>()));
        for (OptionSpec option : spec.options()) {
            List<String> own = headings(option);
            String heading = own.stream()
                    .filter(headings::contains)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(option.longestName()
                            + ": expected @Heading with one of " + headings + " in " + spec.name() + ", found " + own));
            options.get(heading).add(option);
        }
        return options;
    }

    private static List<String> headings(OptionSpec option) {
        if (option.usageHelp() || option.versionHelp()) {
            return List.of(OTHER);
        }
        Field field = (Field) option.userObject();
        Heading heading = field.getAnnotation(Heading.class);
        if (heading == null) {
            heading = field.getDeclaringClass().getAnnotation(Heading.class);
        }
        return heading == null ? List.of() : List.of(heading.value());
    }

    private static String optionList(Help help) {
        List<OptionSpec> all = help.commandSpec().options();
        StringBuilder text = new StringBuilder();
        groups(help.commandSpec()).forEach((heading, options) -> {
            // All options decide on the widths of the columns, so that those of the groups are alike.
            Help.Layout layout = help.createDefaultLayout(all, List.of(), help.colorScheme());
            layout.addOptions(options, help.parameterLabelRenderer());
            text.append(String.format("%n%s:%n%s", heading, layout));
        });
        return text.toString();
    }
}
