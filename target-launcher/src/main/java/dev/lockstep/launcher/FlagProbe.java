package dev.lockstep.launcher;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks a JVM what it makes of its options, without an application. It takes 0.05 to 0.2 s, with Graal 0.6 s of CPU.
 *
 * <p>Graal reads its own options when it starts, which only {@code -XX:+EagerJVMCI} makes sure of here; a wrong one
 * then ends the JVM, with exit code 0 in some versions.
 */
final class FlagProbe {
    /** A busy machine takes its time. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** {@code intx MaxInlineSize = 35 {C2 product} {default}}, before JDK 9 with {@code :=} and one brace. */
    private static final Pattern FLAG = Pattern.compile("\\s*[a-z_0-9]+\\s+(\\w+)\\s+:?=(.*?)\\{[^}]*}\\s*(?:\\{.*)?");

    /** {@code graal.TrivialInliningSize := 15 [Integer]}, with {@code [community edition]} before the type since 23. */
    private static final Pattern GRAAL_OPTION =
            Pattern.compile("((?:jdk\\.)?graal\\.[\\w.]+)\\s+:?=\\s+(.*?)\\s*(?:\\[[a-z ]+]\\s*)?\\[\\w+]");

    private static final Pattern WARNING =
            Pattern.compile("(?:.*\\bwarning:|(?:\\[[^]]*])*\\[warning](?:\\[[^]]*])*)\\s+(.*)");
    private static final String WRONG_GRAAL_OPTION = "Error parsing Graal options: ";
    /** Lines that stand beside the one that says what is wrong. */
    private static final Pattern NO_REASON =
            Pattern.compile("Error: (Could not create|A fatal exception).*|Error occurred during initialization of VM"
                    + "|-XX:.*|Picked up .*|\\[.*]|Did you mean.*|");

    private FlagProbe() {}

    /**
     * Starts the JVM once and waits for its end.
     *
     * @param options those of the target, behind those of its profile
     * @param graal whether the JVM runs Graal
     */
    static FlagCheck check(JvmChoice choice, List<String> options, boolean graal) {
        try {
            ShortCommand.Result result = ShortCommand.run(command(choice, options, graal), TIMEOUT);
            return read(result.exitCode, result.output);
        } catch (IOException e) {
            return ImmutableFlagCheck.builder()
                    .failure(e.getMessage().replace('\n', ' '))
                    .build();
        }
    }

    static List<String> command(JvmChoice choice, List<String> options, boolean graal) {
        List<String> command = new ArrayList<>();
        command.add(choice.jvm.javaBinary().toString());
        command.addAll(choice.options);
        command.addAll(options);
        if (choice.jvm.kind().isHotSpot() || choice.jvm.kind() == Jvm.Kind.ZING) {
            command.add("-XX:+PrintFlagsFinal");
        } else if (choice.jvm.kind() == Jvm.Kind.OPENJ9) {
            // It ignores what it does not know, such as HotSpot's flags, and so would a search.
            command.add("-XX:-IgnoreUnrecognizedXXColonOptions");
        }
        if (graal) {
            command.addAll(List.of("-XX:+EagerJVMCI", "-XX:+JVMCIPrintProperties"));
        }
        command.add("-version");
        return command;
    }

    static FlagCheck read(int exitCode, String output) {
        Map<String, String> values = new LinkedHashMap<>();
        Set<String> warnings = new LinkedHashSet<>();
        String reason = null;
        String wrongGraalOption = null;
        for (String line : (Iterable<String>) output.lines()::iterator) {
            Matcher flag = FLAG.matcher(line);
            Matcher graalOption = GRAAL_OPTION.matcher(line);
            Matcher warning = WARNING.matcher(line);
            if (flag.matches()) {
                values.put(flag.group(1), flag.group(2).trim());
            } else if (graalOption.matches()) {
                values.put(graalOption.group(1), graalOption.group(2));
            } else if (warning.matches()) {
                warnings.add(warning.group(1));
            } else if (line.startsWith(WRONG_GRAAL_OPTION)) {
                wrongGraalOption = line.substring(WRONG_GRAAL_OPTION.length());
            } else if (reason == null && !NO_REASON.matcher(line.trim()).matches()) {
                reason = line.trim();
            }
        }
        Optional<String> failure = Optional.ofNullable(wrongGraalOption);
        if (failure.isEmpty() && exitCode != 0) {
            failure = Optional.of(reason == null ? "it ended with exit code " + exitCode : reason);
        }
        return ImmutableFlagCheck.builder()
                .failure(failure)
                .putAllValues(failure.isPresent() ? Map.of() : values)
                .warnings(warnings)
                .build();
    }
}
