package dev.lockstep.app;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A Redis server of its own on loopback, with its own directory; skips the test where there is none installed. */
final class TestingRedis implements AutoCloseable {
    static final String PASSWORD = "a-test-password";
    private static final long START_LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    private final Path directory;
    private final int port;
    private Process process;

    private TestingRedis(Path directory, int port) {
        this.directory = directory;
        this.port = port;
    }

    static TestingRedis start() throws IOException {
        Assumptions.assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "redis-server"))),
                "redis-server is not installed");
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        TestingRedis redis = new TestingRedis(Files.createTempDirectory("lockstep-redis"), port);
        redis.run();
        return redis;
    }

    /** Starts the server, again after {@link #kill}. */
    void run() throws IOException {
        List<String> command = new ArrayList<>(List.of("redis-server", "--port", Integer.toString(port)));
        command.addAll(
                List.of("--bind", "127.0.0.1", "--dir", directory.toString(), "--save", "", "--appendonly", "no"));
        command.addAll(List.of("--requirepass", PASSWORD, "--databases", "4"));
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        long deadlineNs = System.nanoTime() + START_LIMIT_NS;
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() - deadlineNs > 0) {
                close();
                throw new IOException("redis-server did not start on port " + port);
            }
            Thread.onSpinWait();
        }
    }

    private boolean answers() {
        try {
            return command("PING").equals("+PONG");
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the first line of the answer to a command in database 1. */
    String command(String command) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(60_000);
            String text = "AUTH " + PASSWORD + "\r\nSELECT 1\r\n" + command + "\r\nQUIT\r\n";
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split("\r\n")[2];
        }
    }

    /** Returns the address of database 1. */
    String address() {
        return "redis://:" + PASSWORD + "@127.0.0.1:" + port + "/1";
    }

    /** Lets the server's kernel take connections and commands, but the server answer nothing. */
    void suspend() throws IOException {
        signal("STOP");
    }

    /** Ends {@link #suspend}. */
    void resume() throws IOException {
        signal("CONT");
    }

    private void signal(String name) throws IOException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .onExit()
                .join();
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() throws IOException {
        kill();
        List<Path> files;
        try (Stream<Path> tree = Files.walk(directory)) {
            files = tree.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
        }
        for (Path file : files) {
            Files.delete(file);
        }
    }
}
