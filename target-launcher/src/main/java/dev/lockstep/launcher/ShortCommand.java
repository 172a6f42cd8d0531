package dev.lockstep.launcher;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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
     * Runs it; interrupts do not cut it short but are kept for the caller. Where it leaves a process that holds its
     * output, the output is what came within the timeout.
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
        long deadlineNs = System.nanoTime() + timeout.toNanos();
        process.getOutputStream().close();
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        CountDownLatch read = new CountDownLatch(1);
        Thread reader = new Thread(
                () -> {
                    try (InputStream in = process.getInputStream()) {
                        in.transferTo(output);
                    } catch (IOException e) {
                        // Then it is what came until now.
                    } finally {
                        read.countDown();
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
        await(leftNs -> read.await(leftNs, TimeUnit.NANOSECONDS), deadlineNs - System.nanoTime());
        return new Result(process.exitValue(), output.toString(StandardCharsets.UTF_8));
    }

    /** Waits for the end of a process, through interrupts, which are kept for the caller; returns whether it came. */
    static boolean waitFor(Process process, long timeoutNs) {
        return await(leftNs -> process.waitFor(leftNs, TimeUnit.NANOSECONDS), timeoutNs);
    }

    /** Waits for so long at most, and returns whether it came. */
    private interface Waiting {
        boolean comes(long leftNs) throws InterruptedException;
    }

    private static boolean await(Waiting waiting, long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return waiting.comes(deadlineNs - System.nanoTime());
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
