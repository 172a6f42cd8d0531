package dev.lockstep.cli.experiment;

import dev.lockstep.experiment.ExperimentException;
import dev.lockstep.experiment.PartRunner;
import dev.lockstep.experiment.Service;
import dev.lockstep.launcher.Cores;
import dev.lockstep.launcher.Executables;
import dev.lockstep.launcher.ProcessStarter;
import dev.lockstep.results.directory.OwnerOnly;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A program beside the targets, on a processor of its own where there are three or more and else on the replayer's,
 * never on the targets'. The kernel kills it when Lockstep dies, where setpriv is there. Used by one thread.
 */
final class RunningService {
    private static final int FEWEST_FOR_OWN = 3;
    private static final long READY_MS = 10_000;
    private static final long STOP_MS = 5_000;
    private static final long POLL_MS = 200;

    private final String name;
    private final Process process;
    private final int port;
    /** Takes what it prints. */
    private final Path log;

    private RunningService(String name, Process process, int port, Path log) {
        this.name = name;
        this.process = process;
        this.port = port;
        this.log = log;
    }

    /** Returns how processors are split when a service runs, for {@code --cores}: replayer, then targets. */
    static String split() {
        List<Integer> allowed = Cores.allowed().toList();
        if (allowed.size() == 1) {
            return allowed.get(0) + "/" + allowed.get(0);
        }
        return allowed.get(0) + "/"
                + allowed.subList(1, allowed.size() < FEWEST_FOR_OWN ? allowed.size() : allowed.size() - 1).stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(","));
    }

    private static int processor() {
        List<Integer> allowed = Cores.allowed().toList();
        return allowed.get(allowed.size() < FEWEST_FOR_OWN ? 0 : allowed.size() - 1);
    }

    /**
     * Starts a service and waits until it takes connections.
     *
     * @param folder takes what it prints
     * @throws ExperimentException where it does not
     */
    static RunningService start(Service service, Path folder) {
        int port = freePort();
        List<String> words = new ArrayList<>(ProcessStarter.dyingWithUs());
        Executables.find("taskset")
                .ifPresent(program -> words.addAll(List.of(program.toString(), "-c", String.valueOf(processor()))));
        service.command().forEach(word -> words.add(word.replace("{port}", String.valueOf(port))));
        Path log = folder.resolve(service.name() + ".service.log");
        try {
            OwnerOnly.makeEmpty(log);
            ProcessBuilder builder =
                    new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
            restore(builder.environment());
            Process process = builder.start();
            process.getOutputStream().close();
            RunningService started = new RunningService(service.name(), process, port, log);
            started.awaitReady();
            return started;
        } catch (IOException e) {
            throw new ExperimentException("service " + service.name() + ": cannot be started: " + e.getMessage());
        }
    }

    /**
     * Runs a program to its end, on all processors.
     *
     * @param log with {@code .txt} and {@code .log} takes what it prints
     * @param isToEnd asked while it runs
     */
    static PartRunner.Outcome execute(List<String> words, Path log, BooleanSupplier isToEnd) {
        List<String> chain = new ArrayList<>(ProcessStarter.dyingWithUs());
        chain.addAll(words);
        Path printed = log.resolveSibling(log.getFileName() + ".txt");
        Path errors = log.resolveSibling(log.getFileName() + ".log");
        try {
            OwnerOnly.makeEmpty(printed);
            OwnerOnly.makeEmpty(errors);
            ProcessBuilder builder =
                    new ProcessBuilder(chain).redirectOutput(printed.toFile()).redirectError(errors.toFile());
            // Scripts run Java by it: that of PATH may be missing, or too old.
            builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
            restore(builder.environment());
            Process process = builder.start();
            process.getOutputStream().close();
            long asked = 0;
            while (!process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
                if (isToEnd.getAsBoolean()) {
                    boolean politely = asked++ * POLL_MS < STOP_MS;
                    process.descendants().forEach(politely ? ProcessHandle::destroy : ProcessHandle::destroyForcibly);
                    if (politely) {
                        process.destroy();
                    } else {
                        process.destroyForcibly();
                    }
                }
            }
            // Of whatever encoding.
            String last = new String(Files.readAllBytes(errors), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .reduce("", (first, second) -> second);
            return new PartRunner.Outcome(process.exitValue(), last);
        } catch (IOException e) {
            return new PartRunner.Outcome(1, "cannot be started: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new PartRunner.Outcome(1, "interrupted");
        }
    }

    /** As of targets: what else the user's shell adds would change what is measured. */
    static void restore(Map<String, String> environment) {
        environment.keySet().removeAll(ProcessStarter.HIDDEN_JVM_OPTIONS);
        ProcessStarter.restoreLocale(environment);
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new ExperimentException("no free port: " + e.getMessage());
        }
    }

    private void awaitReady() {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READY_MS);
        while (!isReady()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                stop();
                throw new ExperimentException("service " + name + ": expected an open port " + port + " within "
                        + READY_MS / 1000 + " s, found none; what it printed is in " + log);
            }
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                stop();
                Thread.currentThread().interrupt();
                throw new ExperimentException("service " + name + ": interrupted while it started");
            }
        }
    }

    private boolean isReady() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns where it listens. */
    String address() {
        return "127.0.0.1:" + port;
    }

    /** Returns that it ended by itself, for people: what was measured without it is no result. Absent while it runs. */
    Optional<String> whyEnded() {
        return process.isAlive()
                ? Optional.empty()
                : Optional.of("service " + name + " ended while targets used it (exit code " + process.exitValue()
                        + "); what it printed is in " + log);
    }

    void stop() {
        // What it started itself, as a script does, would outlive it.
        List<ProcessHandle> all = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .collect(Collectors.toList());
        all.forEach(ProcessHandle::destroy);
        try {
            CompletableFuture.allOf(all.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new))
                    .get(STOP_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            all.forEach(ProcessHandle::destroyForcibly);
        } catch (InterruptedException e) {
            all.forEach(ProcessHandle::destroyForcibly);
            Thread.currentThread().interrupt();
        }
    }
}
