package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.analysis.Metric;
import dev.lockstep.cli.terminal.Interruption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The Markdown files point at what exists: files, headings, options, classes. And every metric and field is described.
 */
final class DocumentationTest {
    private static final Pattern FENCE = Pattern.compile("(?ms)^[ >]*```.*?^[ >]*```[^\\n]*$");
    private static final Pattern CODE = Pattern.compile("`[^`]*`");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.*)$");
    private static final Pattern OPTION = Pattern.compile("(?<![\\w<!#-])--[a-z][a-z0-9-]*");

    /** A name in code that begins with two words in capitals, alone or with a member behind it. */
    private static final Pattern CLASS = Pattern.compile("^`((?:[A-Z][a-z0-9]+){2,})(?:\\.\\w+|\\(.*\\))?`$");

    private static final Pattern FIELD = Pattern.compile("\"([a-z][A-Za-z0-9]*)\"\\s*:");

    /** Options of other programs on the pages: target-app's, the services', Docker's, and those of single commands. */
    private static final Set<String> OF_OTHERS = Stream.of(
                    "--users --max-users --print-users --store --redis-hash --instances --max-body --native-transport",
                    "--no-native-transport --tcp-fastopen --tcp-quickack --tcp-nodelay --no-tcp-nodelay --echo --burn-cpu",
                    "--leak --no-metrics --problems",
                    "--seed --max-posted --selectors --workers --threads --kind --sessions --rate --seconds --server-seed",
                    "--allocator --transport --methods --connections --messages --bytes --out",
                    "--data-binary --rm --init --user --cgroupns --security-opt --privileged --cpuset-cpus --cpus --name --network",
                    "--memory-swap --build-arg --ulimit --cap-add --cap-drop --read-only --tmpfs --from --bind --save",
                    "--input-raw --input-file --output-file --output-http --output-http-workers --vus",
                    "--reuid --regid --init-groups --inh-caps --ambient-caps --sun-misc-unsafe-memory-access")
            .flatMap(options -> Stream.of(options.split(" ")))
            .collect(Collectors.toSet());

    /** What looks like the name of a class and is none. */
    private static final Set<String> NOT_OURS = Set.of(
            "DebugNonSafepoints",
            "HeapMemoryUsage",
            "IntrinsicStubsGen",
            "ProcessCpuTime",
            "StartTime",
            "TotalThreadAllocatedBytes");

    @Test
    void everyLinkLeadsSomewhere() {
        List<String> dead = new ArrayList<>();
        Map<Path, Set<String>> anchors = new HashMap<>();
        for (Path page : TestingDocumentation.pages()) {
            String text = CODE.matcher(withoutFences(page)).replaceAll("");
            Matcher link = LINK.matcher(text);
            while (link.find()) {
                String to = link.group(1);
                if (to.matches("[a-z]+:.*")) {
                    continue;
                }
                int hash = to.indexOf('#');
                String file = hash < 0 ? to : to.substring(0, hash);
                Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
                boolean found = Files.exists(target)
                        && (hash < 0
                                || anchors.computeIfAbsent(target, DocumentationTest::anchors)
                                        .contains(to.substring(hash + 1)));
                if (!found) {
                    dead.add(page + ": " + to);
                }
            }
        }
        assertEquals(List.of(), dead);
    }

    @Test
    void everyOptionExists() {
        Set<String> known = new HashSet<>(OF_OTHERS);
        CommandLine line = Main.commandLine(Interruption.detached());
        options(line.getCommandSpec(), known);
        line.getSubcommands().values().forEach(command -> options(command.getCommandSpec(), known));
        Set<String> unknown = new TreeSet<>();
        for (Path page : TestingDocumentation.pages()) {
            Matcher option = OPTION.matcher(TestingDocumentation.read(page));
            while (option.find()) {
                if (!known.contains(option.group())) {
                    unknown.add(page + ": " + option.group());
                }
            }
        }
        assertEquals(Set.of(), unknown);
    }

    /** The golden result has every kind of figure; what is a map's key there, such as a status, is no field. */
    @Test
    void everyFieldOfAResultIsDescribed() {
        Path root = TestingDocumentation.root();
        Set<String> described = new HashSet<>();
        Path docs = root.resolve("docs");
        Matcher code = CODE.matcher(TestingDocumentation.read(docs.resolve("fields.md"))
                + TestingDocumentation.read(docs.resolve("results.md")));
        while (code.find()) {
            described.addAll(List.of(code.group().split("[^A-Za-z0-9]+")));
        }
        String result =
                TestingDocumentation.read(root.resolve("results/src/test/resources/dev/lockstep/results/run.json"));
        Set<String> missing = new TreeSet<>();
        Matcher field = FIELD.matcher(result);
        while (field.find()) {
            if (!described.contains(field.group(1))) {
                missing.add(field.group(1));
            }
        }
        assertEquals(Set.of(), missing);
    }

    @Test
    void everyMetricIsDescribed() {
        String comparing = TestingDocumentation.read(TestingDocumentation.root().resolve("docs/comparing.md"));
        Set<String> missing = new TreeSet<>();
        Stream.of(Metric.values())
                .map(Metric::key)
                .filter(key -> !comparing.contains("`" + key + "`"))
                .forEach(missing::add);
        assertEquals(Set.of(), missing);
    }

    @Test
    void everyClassExists() {
        Set<String> known = new HashSet<>(NOT_OURS);
        for (Path source : TestingDocumentation.sources(".java")) {
            String name = source.getFileName().toString();
            known.add(name.substring(0, name.length() - ".java".length()));
        }
        Set<String> unknown = new TreeSet<>();
        for (Path page : TestingDocumentation.pages()) {
            Matcher code = CODE.matcher(withoutFences(page));
            while (code.find()) {
                Matcher name = CLASS.matcher(code.group());
                if (name.find() && !known.contains(name.group(1))) {
                    unknown.add(page + ": " + name.group(1));
                }
            }
        }
        assertEquals(Set.of(), unknown);
    }

    private static void options(CommandSpec spec, Set<String> names) {
        for (OptionSpec option : spec.options()) {
            names.addAll(List.of(option.names()));
        }
    }

    private static String withoutFences(Path page) {
        return FENCE.matcher(TestingDocumentation.read(page)).replaceAll("");
    }

    /** Returns the anchors that GitHub gives to the headings of a page. */
    private static Set<String> anchors(Path page) {
        Set<String> anchors = new HashSet<>();
        if (!page.toString().endsWith(".md")) {
            return anchors;
        }
        Matcher heading = HEADING.matcher(withoutFences(page));
        while (heading.find()) {
            String anchor = heading.group(1)
                    .replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
                    .strip()
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            int again = 0;
            String unique = anchor;
            while (!anchors.add(unique)) {
                unique = anchor + "-" + ++again;
            }
        }
        return anchors;
    }
}
