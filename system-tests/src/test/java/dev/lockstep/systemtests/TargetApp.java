package dev.lockstep.systemtests;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sample service as a process that the test starts, not Lockstep. */
final class TargetApp implements AutoCloseable {
    private final Process process;
    private final int port;

    TargetApp(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                // As Lockstep's own JVM (Replay.ENVIRONMENT): it serves for seconds.
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Replay.ROOT.resolve("target-app/target/lockstep/lib") + "/*",
                "dev.lockstep.app.TargetApp",
                "--port",
                "0"));
        command.addAll(List.of(options));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String ready = out.readLine();
        Matcher address = Pattern.compile("127\\.0\\.0\\.1:(\\d+)").matcher(String.valueOf(ready));
        if (!address.find()) {
            process.destroyForcibly();
            throw new IOException("target-app said: " + ready);
        }
        port = Integer.parseInt(address.group(1));
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
