package dev.lockstep.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs a small program of the system to its end and keeps its output. */
final class ShortCommand {
    private ShortCommand() {}

    /** What the program said, standard output and standard error together, and its exit code. */
    static final class Result {
        final int exitCode;
        final String output;

        Result(int exitCode, String output) {
            this.exitCode = exitCode;
            this.output = output;
        }

        String firstLine() {
            return output.lines().map(String::trim).findFirst().orElse("");
        }
    }

    /**
     * Runs it; interrupts do not cut it short but are kept for the caller.
     *
     * @throws IOException when it can not be started or does not end in time; it is killed then
     */
    static Result run(List<String> command, Duration timeout) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        // Output that we parse must not depend on the user's language.
        builder.environment().put("LC_ALL", "C");
        // A JVM that is asked something must not be another than the one that is started later.
        builder.environment().keySet().removeAll(ProcessStarter.HIDDEN_JVM_OPTIONS);
        Process process = builder.start();
        process.getOutputStream().close();
        CompletableFuture<String> output = new CompletableFuture<>();
        Thread reader = new Thread(
                () -> {
                    try (InputStream in = process.getInputStream()) {
                        output.complete(new String(in.readAllBytes(), StandardCharsets.UTF_8));
                    } catch (IOException e) {
                        output.complete("");
                    }
                },
                "lockstep-read-" + command.get(0));
        reader.setDaemon(true);
        reader.start();
        if (!waitFor(process, timeout.toNanos())) {
            process.destroyForcibly();
            throw new IOException(
                    "'" + String.join(" ", command) + "' did not end within " + timeout.toMillis() + " ms");
        }
        return new Result(process.exitValue(), output.join());
    }

    /** Waits for the end of a process, through interrupts, which are kept for the caller; returns whether it came. */
    static boolean waitFor(Process process, long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return process.waitFor(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
