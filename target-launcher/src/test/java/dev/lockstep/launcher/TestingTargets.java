package dev.lockstep.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import javax.tools.ToolProvider;

/** A small server as a target, compiled once, and what tests need around it. */
final class TestingTargets {
    static final Path GRAAL_JARS = Path.of("target/graal").toAbsolutePath();
    private static final Path CLASSES = Path.of("target/test-server").toAbsolutePath();

    private TestingTargets() {}

    static JvmInventory inventory() {
        return InventoryHolder.INVENTORY;
    }

    private static final class InventoryHolder {
        static final JvmInventory INVENTORY = JvmInventory.discover(GRAAL_JARS);
    }

    private static final class CompiledServer {
        static final Path CLASS_PATH = compile();

        private static Path compile() {
            try (InputStream source = TestingTargets.class.getResourceAsStream("/TestServer.java")) {
                Files.createDirectories(CLASSES);
                Path file = CLASSES.resolve("TestServer.java");
                Files.write(file, source.readAllBytes());
                // Not --release: the small server of the JDK is not part of Java SE.
                int exit = ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-source", "11", "-target", "11", "-nowarn", file.toString());
                assertEquals(0, exit);
                return CLASSES;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Returns the command of the server in one of its modes. */
    static List<String> command(String mode) {
        return List.of(
                "{java}", "{jvmOptions}", "-cp", CompiledServer.CLASS_PATH.toString(), "TestServer", mode, "{port}");
    }

    /** Settings for quick starts; the logs go to the folder. */
    static LaunchSettings.Builder settings(String mode, Path logs) {
        return LaunchSettings.builder()
                .command(command(mode))
                .logDirectory(logs)
                .readyTimeout(Duration.ofSeconds(60))
                .jvmOptions(List.of("-XX:+UseSerialGC"));
    }

    /** Stops a target and returns how it ended. */
    static ProcessExit stop(TargetProcess process) {
        process.close();
        return process.exit().orElseThrow();
    }

    static TargetSpec spec(String text) {
        return TargetSpec.parse(text, Map.of());
    }

    /** Skips the test where this machine has no JVM for a profile. */
    static void assumeServes(String target) {
        TargetSpec spec = spec(target);
        try {
            inventory().choose(spec.profile().orElseThrow(), spec.jdkVersion());
        } catch (TargetFailedException e) {
            assumeTrue(false, e.getMessage());
        }
    }

    /** Sends a GET and returns the body. */
    static String get(InetSocketAddress address, String path) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            if (!answer.contains("\r\n\r\n")) {
                throw new IOException("the target closed the connection without an answer");
            }
            return answer.substring(answer.indexOf("\r\n\r\n") + 4);
        }
    }

    /** Waits until it holds; fails the test after 60 s. */
    static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadlineNs = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("did not come: " + what);
            }
            Thread.sleep(2);
        }
    }

    /** Returns the folders of all our control groups on this machine that belong to a process. */
    static List<Path> runGroupsOf(long pid) {
        List<Path> groups = new ArrayList<>();
        CgroupFiles files = new CgroupFiles();
        CgroupMounts mounts = CgroupMounts.read();
        for (String controller : List.of("memory", "cpuset", "freezer", "cpuacct")) {
            mounts.v1(controller).ifPresent(mount -> {
                collect(files, mount.own, pid, groups);
                collect(files, mount.root, pid, groups);
            });
        }
        mounts.v2().ifPresent(mount -> {
            for (Path place = mount.own; place.startsWith(mount.root); place = place.getParent()) {
                collect(files, place, pid, groups);
            }
        });
        return groups;
    }

    private static void collect(CgroupFiles files, Path place, long pid, List<Path> groups) {
        for (Path child : files.children(place)) {
            if (child.getFileName().toString().startsWith("lockstep-" + pid + ".")) {
                groups.add(child);
            }
        }
    }
}
