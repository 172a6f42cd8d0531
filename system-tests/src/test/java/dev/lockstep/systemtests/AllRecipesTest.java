package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of docs/recipes.md as they stand there, one section after the other: the first two on the Spring
 * Boot application that the page names, which is recorded, and started by Lockstep on both JDKs; the others on a small
 * server under its name, for each start of the application costs ten seconds of CPU. The script {@code replay} of the
 * test's folder takes away what makes the commands long: it asks for one launch, few requests and no warm-up, and notes
 * the command lines that are only checked.
 */
@Tag("full")
final class AllRecipesTest {
    private static final Path PAGE = Replay.ROOT.resolve("docs/recipes.md");
    private static final Path APPLICATION = Replay.ROOT.resolve("system-tests/target/applications/zipkin-server.jar");

    /** A block of code with its language, of a page's text. */
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\n(.*?)^```$");

    private static final Pattern FILE = Pattern.compile("^# (\\S+\\.ya?ml)\n");
    private static final Pattern RUN_IN_CI = Pattern.compile("(?m)^ +(?:run: )?(replay .*)$");
    private static final long LONGEST_SECTION_S = 900;
    /** The sections that the application itself is there for. */
    private static final int REAL = 2;

    @TempDir
    private Path folder;

    private Process section;

    @AfterEach
    void endWhatRuns() {
        if (section != null) {
            section.descendants().forEach(ProcessHandle::destroyForcibly);
            section.destroyForcibly();
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void everyCommandDoesWhatThePageSays() throws Exception {
        assumeTrue(Files.exists(APPLICATION), "no " + APPLICATION + "; mvn -Pfull copies it there");
        assumeTrue(hasJdks(), "no JDK 17 or no JDK 25 with Graal on this machine");
        Files.writeString(folder.resolve("doctor.txt"), OwnJvm.doctor());
        script("replay", shortened());
        // Without -N the checkout's Maven copies it once for each module.
        script("mvn", "[[ \" $* \" == *' -N '* ]] || exit 1\ncp " + quoted(APPLICATION) + " .\n");
        String page = Files.readString(PAGE)
                .replace("seq 100", "seq 30")
                // What the page starts by itself is measured by nobody: C2 would cost it more CPU than it saves.
                .replace(" java -jar ", " java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -jar ");
        for (int port : new int[] {9411, 9412}) {
            page = page.replace(Integer.toString(port), Integer.toString(freePort()));
        }

        List<String> headings = new ArrayList<>();
        for (String text : page.split("(?m)^## ")) {
            String heading = text.lines().findFirst().orElse("");
            String commands = commands(text);
            if (!commands.isEmpty()) {
                if (headings.size() == REAL) {
                    standIn();
                }
                headings.add(heading);
                run(heading, commands);
                checkNoted();
            }
        }

        // Else a change of the page's form would leave nothing to run.
        assertEquals(11, headings.size(), headings.toString());
        for (String made : new String[] {"shop.bin", "warm.csv", "run/junit.xml", "requests.gor", "replay.fish"}) {
            assertTrue(Files.size(folder.resolve(made)) > 0, made);
        }
        assertTrue(Files.readString(folder.resolve("summary.md")).contains("jdk25"));
    }

    private void standIn() throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, StandIn.class.getName());
        String file = StandIn.class.getName().replace('.', '/') + ".class";
        try (OutputStream to = Files.newOutputStream(folder.resolve("zipkin-server.jar"));
                JarOutputStream jar = new JarOutputStream(to, manifest);
                InputStream code = StandIn.class.getClassLoader().getResourceAsStream(file)) {
            jar.putNextEntry(new JarEntry(file));
            code.transferTo(jar);
        }
    }

    /** Writes the section's files and returns its commands. */
    private String commands(String section) throws IOException {
        StringBuilder commands = new StringBuilder();
        Matcher block = BLOCK.matcher(section);
        while (block.find()) {
            String code = block.group(2);
            if (block.group(1).equals("sh")) {
                commands.append(code);
                continue;
            }
            Matcher file = FILE.matcher(code);
            assertTrue(file.find(), "a block of YAML begins with its file's name: " + code);
            Path path = folder.resolve(file.group(1));
            Files.createDirectories(path.getParent());
            Files.writeString(path, code);
            Matcher inCi = RUN_IN_CI.matcher(code);
            while (inCi.find()) {
                commands.append("./").append(inCi.group(1)).append('\n');
            }
        }
        return commands.toString();
    }

    private void run(String heading, String commands) throws Exception {
        Path output = folder.resolve("output.txt");
        // A command that fails ends the section before it ends what runs beside it.
        ProcessBuilder builder = new ProcessBuilder(
                        "bash", "-euc", "trap 'kill $(jobs -p) 2>/dev/null || :' EXIT\n" + commands)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("PATH", folder + ":" + System.getenv("PATH"));
        builder.environment().put("GITHUB_STEP_SUMMARY", "summary.md");
        builder.environment().putAll(Replay.ENVIRONMENT);
        section = builder.start();
        boolean ended = section.waitFor(LONGEST_SECTION_S, TimeUnit.SECONDS);
        String said = heading + "\n" + commands + "\n--- printed\n" + Files.readString(output);
        assertTrue(ended, "not done after " + LONGEST_SECTION_S + " s: " + said);
        assertEquals(0, section.exitValue(), said);
    }

    /** Checks the command lines that the script has noted, a word a line and a dot behind the last, in this JVM. */
    private void checkNoted() throws IOException {
        Path noted = folder.resolve("noted.txt");
        if (!Files.exists(noted)) {
            return;
        }
        List<String> words = new ArrayList<>();
        for (String word : Files.readAllLines(noted)) {
            if (!word.equals(".")) {
                Path file = folder.resolve(word);
                words.add(Files.exists(file) ? file.toString() : word);
                continue;
            }
            OwnJvm.run(words.toArray(new String[0]));
            words.clear();
        }
        Files.delete(noted);
    }

    /** Whether a condition holds is the machine's: both answers are good ones. */
    private static String shortened() {
        return "replay=" + quoted(Replay.ROOT.resolve("replay")) + "\n"
                + "note() { printf '%s\\n' \"$@\" . >>noted.txt; exit; }\n"
                + "case ${1:-} in\n"
                + "  -*) ;;\n"
                // It was asked before.
                + "  doctor) exec cat doctor.txt ;;\n"
                + "  *) exec \"$replay\" \"$@\" ;;\n"
                + "esac\n"
                + "words=()\n"
                + "long=yes\n"
                + "while (($# > 0)); do\n"
                + "  case $1 in\n"
                + "    --verdict | --quick) ;;\n"
                + "    -z | -n | --max-lag | --warmup-limit) shift ;;\n"
                // Two of the same, as elsewhere two that differ.
                + "    --aa) long= words+=(--dry-run --aa) ;;\n"
                + "    --dry-run) long= words+=(--dry-run) ;;\n"
                // As those of targets.yaml, with other options for the JVM.
                + "    collectors.yaml | jits.yaml) long= words+=(\"$1\" --dry-run) ;;\n"
                + "    *) words+=(\"$1\") ;;\n"
                + "  esac\n"
                + "  shift\n"
                + "done\n"
                + "[[ $long ]] || note \"${words[@]}\"\n"
                // One run of a section is enough, and those whose directory is read later.
                + "if [[ -e ran.$PPID && \" ${words[*]} \" != *' -o '* ]]; then\n"
                + "  note --dry-run \"${words[@]}\"\n"
                + "fi\n"
                + "touch \"ran.$PPID\"\n"
                + "status=0\n"
                + "\"$replay\" -n 100 --warmup 0 --full-load 0 --max-lag 20s --ready-timeout 150s \"${words[@]}\" >printed.txt"
                + " || status=$?\n"
                + "cat printed.txt\n"
                + "if ((status == 1)) && grep -q '^fails: ' printed.txt; then exit 0; fi\n"
                + "exit $status\n";
    }

    private static boolean hasJdks() {
        String said = OwnJvm.doctor();
        return said.matches("(?s).* ok +JDK 17\\..*") && said.matches("(?s).*\\bgraal@25 +ok .*");
    }

    private void script(String name, String text) throws IOException {
        Path script = Files.writeString(folder.resolve(name), "#!/usr/bin/env bash\n" + text);
        assertTrue(script.toFile().setExecutable(true));
    }

    private static String quoted(Path path) {
        return "'" + path.toString().replace("'", "'\\''") + "'";
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
