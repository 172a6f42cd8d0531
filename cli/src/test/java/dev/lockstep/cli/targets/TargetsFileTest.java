package dev.lockstep.cli.targets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import dev.lockstep.cli.command.CliException;
import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.command.UsageException;
import dev.lockstep.launcher.Profile;
import dev.lockstep.launcher.TargetSpec;
import dev.lockstep.run.Addresses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TargetsFileTest {
    @TempDir
    private Path folder;

    @Test
    void readsEveryKey() throws IOException {
        Files.createDirectory(folder.resolve("app"));
        Map<String, TargetSpec> targets = read(String.join(
                "\n",
                "targets:",
                "  - name: shop",
                "    profile: graal",
                "    jdk: 25",
                "    command: \"{java} -jar 'my app.jar' --port {port}\"",
                "    port: 8080",
                "    readiness: /ready",
                "    environment: {MODE: test, THREADS: 4}",
                "    jvmOptions: [-Xmx64m, -Dx=a b]",
                "    workingDirectory: app",
                "  - {name: prod, address: '127.0.0.1:80', tls: true}"));

        assertEquals(List.of("shop", "prod"), new ArrayList<>(targets.keySet()));
        TargetSpec shop = targets.get("shop");
        assertEquals(Optional.of(Profile.GRAAL), shop.profile());
        assertEquals(OptionalInt.of(25), shop.jdkVersion());
        assertEquals(
                List.of(
                        "env",
                        "-C",
                        folder.resolve("app").toString(),
                        "{java}",
                        "-jar",
                        "my app.jar",
                        "--port",
                        "{port}"),
                shop.command());
        assertEquals(OptionalInt.of(8080), shop.port());
        assertEquals(Optional.of("/ready"), shop.readinessPath());
        assertEquals(Map.of("MODE", "test", "THREADS", "4"), shop.environment());
        assertEquals(List.of("-Xmx64m", "-Dx=a b"), shop.jvmOptions());
        assertEquals(
                "127.0.0.1:80",
                Addresses.print(targets.get("prod").attachAddress().get()));
        assertTrue(targets.get("prod").tls());
        assertFalse(shop.tls());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | 1:1: expected the key 'targets', found an empty file",
                "'a: 1' | 1:1: unknown key 'a'; known is targets",
                "'- name: a' | 1:1: expected the key 'targets', found a list",
                "'targets: x' | 1:10: expected a list of targets, found 'x'",
                "'targets: []' | 1:1: expected at least one target, found none",
                "'targets:\n  - 5' | 2:5: expected a target, which is a mapping of keys such as name and command, found '5'",
                "'targets:\n  - profile: c2' | 2:5: a target without the key 'name'",
                "'targets:\n  - name: a\n    comand: x' | 3:5: unknown key 'comand'; known are address, command, "
                        + "environment, jdk, jvmOptions, metrics, name, port, profile, readiness, tls, workingDirectory",
                "'targets:\n  - {name: a, address: \"127.0.0.1:1\", tls: yes}' | 2:44: expected true or false, found 'yes'",
                "'targets:\n  - {name: a, profile: c2, tls: true}' | 2:5: target a: tls goes with a command or an address, for "
                        + "the sample service speaks none",
                "'targets:\n  - name: a\n    name: b' | 3:5: the key 'name' stands here twice",
                "'targets:\n  - name: a\n    jdk: new' | 3:10: expected a number from 8 to 99, found 'new'",
                "'targets:\n  - name: a\n    port: 65536' | 3:11: expected a number from 1 to 65535, found '65536'",
                "'targets:\n  - name: a\n    command: {x: y}' | 3:14: expected a text or a list of texts, found a mapping",
                "'targets:\n  - name: a\n    command: ''\"x''' | 3:14: a quote (\") is opened and not closed in: \"x",
                "'targets:\n  - name: a\n    command: ''''' | 3:14: expected a program and its arguments, found nothing",
                "'targets:\n  - name: a\n    command:' | 3:13: expected a text or a list of texts, found nothing",
                "'targets:\n  - name: a\n    environment: [x]' | 3:18: expected a mapping of names to values, found a list",
                "'targets:\n  - name: a\n    address: x' | 3:14: expected HOST:PORT such as 127.0.0.1:8080 or [::1]:8080, "
                        + "found 'x'",
                "'targets:\n  - name: a\n    address: 127.0.0.1:0' | 3:14: expected a port from 1 to 65535, found "
                        + "'127.0.0.1:0'",
                "'targets:\n  - name: a\n    profile: c2\n    workingDirectory: /' | 4:23: workingDirectory goes with command, "
                        + "which this target has not",
                "'targets:\n  - {name: a, profile: c2}\n  - {name: a, profile: c2}' | 3:5: a second target named 'a'; names "
                        + "must differ",
                "'targets:\n  - {name: a, profile: c2, metrics: \"http://127.0.0.1/\"}' | 2:5: target a: metrics go with the "
                        + "address of a server that runs already; what Lockstep starts it measures itself",
                "'targets:\n  - name: a\n    address: 127.0.0.1:1\n    metrics: x' | 4:14: metrics: expected a URL such as "
                        + "http://127.0.0.1:8080/metrics, found 'x'",
                "'targets:\n  - name: a\n    address: 127.0.0.1:1\n    metrics: {url: \"http://h/\", format: jmx}' | 4:20: metrics: "
                        + "expected a URL such as service:jmx:rmi:///jndi/rmi://127.0.0.1:9010/jmxrmi, found 'http://h/'",
                "'targets:\n  - name: a\n    address: 127.0.0.1:1\n    metrics: {url: \"http://h/\", format: json}' | 4:41: "
                        + "expected prometheus, jolokia or jmx, found 'json'",
                "'targets:\n  - name: a\n    address: 127.0.0.1:1\n    metrics: {url: \"http://h/\", user: me}' | 4:14: "
                        + "metrics: user and password go together",
                "'targets:\n  - name: a\n    address: 127.0.0.1:1\n    metrics: {url: \"service:jmx:rmi:///jndi/rmi://"
                        + "192.0.2.1:9/jmxrmi\", user: me, password: \"${PATH}\"}' | 4:78: metrics: expected an address of "
                        + "this machine for a password, found service:jmx:rmi:///jndi/rmi://192.0.2.1:9/jmxrmi; tunnel its "
                        + "port (ssh -L)",
                "'targets:\n  - name: a\n    address: 127.0.0.1:1\n    metrics: {headers: {A: \"${NO_SUCH_V}\"}}' | 4:28: "
                        + "the environment variable NO_SUCH_V is not set",
                "'targets: [' | 1:11: not YAML: expected the node content, but found '<stream end>'",
            })
    void tellsWhereAMistakeIs(String yaml, String complaint) {
        UsageException e = assertThrows(UsageException.class, () -> read(yaml));

        assertEquals(folder.resolve("targets.yaml") + ":" + complaint, e.getMessage());
    }

    /** As of --targets: whoever attaches to it tells. */
    @Test
    void takesAHostThatIsNotKnownHere() throws IOException {
        TargetSpec target = read("targets:\n  - {name: a, address: 'no-such-host.invalid:80'}")
                .get("a");

        assertEquals(List.of(), target.attachAddresses());
        assertEquals(
                "no-such-host.invalid:80",
                Addresses.print(target.attachAddress().get()));
    }

    @Test
    void checksOnlyTheTargetsThatAreChosen() throws IOException {
        Path file = Files.writeString(
                folder.resolve("targets.yaml"),
                "targets:\n  - {name: good, profile: c2}\n  - {name: bad, comand: x}\n");
        TestingCommandLine line = new TestingCommandLine();

        assertEquals(ExitCode.USAGE, line.execute("--targets-file", file + "", "none.bin"));
        assertTrue(line.err().startsWith("replay: " + file + ":3:17: unknown key 'comand'"), line.err());

        // As far as the capture, which is not there.
        line = new TestingCommandLine();
        assertEquals(ExitCode.FAILED, line.execute("--targets-file", file + "", "--targets", "a=good", "none.bin"));
        assertTrue(line.err().startsWith("replay: none.bin: no such file"), line.err());

        line = new TestingCommandLine();
        assertEquals(ExitCode.USAGE, line.execute("--targets-file", file + "", "--targets", "god", "none.bin"));
        assertTrue(line.err().contains("unknown target 'god': known are bad, good, c2"), line.err());
    }

    @Test
    void listsTheKnownProfilesWhereOneIsUnknown() {
        UsageException e = assertThrows(UsageException.class, () -> read("targets:\n  - name: a\n    profile: c3"));

        String known = Stream.of(Profile.values()).map(Profile::id).collect(Collectors.joining(", "));
        assertEquals(
                folder.resolve("targets.yaml") + ":3:14: unknown profile 'c3'; known are " + known, e.getMessage());
    }

    @Test
    void tellsWhereAFolderIsMissing() {
        UsageException e = assertThrows(
                UsageException.class,
                () -> read("targets:\n  - {name: a, command: '{java} {port}', workingDirectory: nowhere}"));

        assertEquals(
                folder.resolve("targets.yaml") + ":2:59: expected a folder, found nothing at "
                        + folder.resolve("nowhere"),
                e.getMessage());
    }

    @Test
    void tellsThatTheFileIsMissing() {
        Path missing = folder.resolve("missing.yaml");
        CliException e = assertThrows(CliException.class, () -> TargetsFile.read(missing));
        assertEquals(missing + ": no such targets file", e.getMessage());
    }

    @Test
    void tellsThatTheFileIsNoText() throws IOException {
        Path binary = Files.write(folder.resolve("targets.yaml"), new byte[] {(byte) 0xff, 0, 1});
        UsageException e = assertThrows(UsageException.class, () -> TargetsFile.read(binary));
        assertEquals(binary + ": expected a targets file in UTF-8, found other bytes", e.getMessage());
    }

    private Map<String, TargetSpec> read(String yaml) throws IOException {
        Map<String, TargetSpec> targets = new LinkedHashMap<>();
        TargetsFile.read(Files.writeString(folder.resolve("targets.yaml"), yaml))
                .forEach((name, target) -> targets.put(name, target.get()));
        return targets;
    }
}
