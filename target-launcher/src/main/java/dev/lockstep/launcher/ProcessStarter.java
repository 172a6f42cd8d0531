package dev.lockstep.launcher;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Starts processes that join their control groups before they execute, that the terminal's Ctrl-C does not reach, and
 * that die when this process dies. Safe to use from any thread.
 *
 * <p>The chain is sh (joins the groups), setsid (a session of its own), sh (raises that session above others where the
 * kernel shares processors among sessions and permits it: the replayer's is raised, and what it drives from its
 * processor would crowd the target's), setpriv (the kernel kills it when its parent dies, see PR_SET_PDEATHSIG in
 * prctl(2)), taskset (the affinity mask; a process would otherwise inherit ours even in a cpuset), env (variables that
 * sh does not pass on, if there are any), the command. Each one execs the next, so the process id stays. All are looked
 * for on our PATH: the target may have one of its own.
 *
 * <p>Design note: the kernel takes the <em>thread</em> that forked for the parent, so all processes are started by one
 * thread, which lives until {@link #close()}.
 */
public final class ProcessStarter implements AutoCloseable {
    /** A process, and when it was started, on two clocks: right before it was forked. Immutable. */
    static final class Started {
        final Process process;
        final Instant at;
        /** It on the clock of {@link System#nanoTime()}. */
        final long atNs;

        private Started(Process process, Instant at, long atNs) {
            this.process = process;
            this.at = at;
            this.atNs = atNs;
        }
    }

    /** The arguments are the groups' files, this word, and the command. A variable of its own could be the target's. */
    private static final String END_OF_GROUPS = "--";

    private static final String JOIN_AND_EXEC = "while [ \"$1\" != " + END_OF_GROUPS
            + " ]; do echo $$ > \"$1\" || exit 125; shift; done; shift; exec \"$@\"";

    private static final String RAISE_AND_EXEC = "{ echo -20 > /proc/self/autogroup; } 2>/dev/null; exec \"$@\"";

    /**
     * Removed from a target's environment: results show the options of its description, not what the user's shell adds.
     */
    public static final List<String> HIDDEN_JVM_OPTIONS = List.of(
            "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "OPENJ9_JAVA_OPTIONS", "IBM_JAVA_OPTIONS");

    /** With what the names begin by which the script {@code replay} keeps what it changes for this JVM. */
    private static final String KEPT = "LOCKSTEP_";

    private static final Pattern KEPT_LOCALE = Pattern.compile(KEPT + "(LANG|LC_.*)");

    /** A shell may drop variables with other names, such as {@code spring.profiles.active}. */
    private static final Pattern NAME_IN_SHELL = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private final ExecutorService forker = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "lockstep-forker");
        thread.setDaemon(true);
        return thread;
    });
    private final boolean setsid = Executables.find("setsid").isPresent();
    private final boolean taskset = Executables.find("taskset").isPresent();
    private final List<String> dying = dyingWithUs();

    ProcessStarter() {}

    /**
     * Returns the words before a command that have the kernel kill its process when this one dies; none where nothing
     * here can do that.
     */
    public static List<String> dyingWithUs() {
        // An older one, or busybox's, has no such option; "keep" of a signal that is not set changes nothing.
        Optional<Path> program = Executables.find("setpriv");
        return program.isPresent() && knowsDeathSignal()
                ? List.of(program.get().toString(), "--pdeathsig", "KILL")
                : List.of();
    }

    private static boolean knowsDeathSignal() {
        try {
            return ShortCommand.run(List.of("setpriv", "--pdeathsig", "keep", "true"), Duration.ofSeconds(5)).exitCode
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    boolean canPin() {
        return taskset;
    }

    /** Returns which tools this machine lacks and what follows from that, in one line; empty when none is missing. */
    String remarks() {
        List<String> remarks = new ArrayList<>();
        if (!setsid) {
            remarks.add("no setsid here: Ctrl-C reaches the targets too");
        }
        if (dying.isEmpty()) {
            remarks.add("no setpriv --pdeathsig here: targets outlive a killed Lockstep until its next start");
        }
        return String.join("; ", remarks);
    }

    /**
     * Starts a process.
     *
     * @param joinFiles of the control groups it joins
     * @param cpus null to leave the affinity as it is
     * @param output gets standard output and standard error, appended
     * @throws IOException when no process can be made
     */
    Started start(
            List<String> command, Map<String, String> environment, List<Path> joinFiles, CpuList cpus, Path output)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder()
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().keySet().removeAll(HIDDEN_JVM_OPTIONS);
        restoreLocale(builder.environment());
        builder.environment().putAll(environment);
        List<String> chain = new ArrayList<>(List.of(program("sh"), "-c", JOIN_AND_EXEC, "lockstep-target"));
        joinFiles.forEach(file -> chain.add(file.toString()));
        chain.add(END_OF_GROUPS);
        if (setsid) {
            chain.addAll(List.of(program("setsid"), program("sh"), "-c", RAISE_AND_EXEC, "lockstep-target"));
        }
        chain.addAll(dying);
        if (cpus != null && taskset) {
            chain.addAll(List.of(program("taskset"), "-c", cpus.toString()));
        }
        List<String> unkept = notKeptByShells(builder.environment());
        if (!unkept.isEmpty()) {
            chain.add(program("env"));
            chain.addAll(unkept);
        }
        chain.add(program(command.get(0)));
        chain.addAll(command.subList(1, command.size()));
        builder.command(chain);
        // Not interruptible: a process that is being started must not be lost.
        try {
            return CompletableFuture.supplyAsync(() -> started(builder), forker).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException) {
                throw ((UncheckedIOException) e.getCause()).getCause();
            }
            throw e;
        }
    }

    /** Returns a program by its whole path, if it is found. */
    private static String program(String word) {
        return Executables.find(word).map(Path::toString).orElse(word);
    }

    private static List<String> notKeptByShells(Map<String, String> environment) {
        return environment.entrySet().stream()
                .filter(variable -> !NAME_IN_SHELL.matcher(variable.getKey()).matches())
                .map(variable -> variable.getKey() + "=" + variable.getValue())
                .collect(Collectors.toList());
    }

    /** Gives a process the language and the characters of the user, and not those of this JVM. */
    public static void restoreLocale(Map<String, String> environment) {
        for (String kept : List.copyOf(environment.keySet())) {
            if (KEPT_LOCALE.matcher(kept).matches()) {
                String before = environment.remove(kept);
                String name = kept.substring(KEPT.length());
                if (before.isEmpty()) {
                    environment.remove(name);
                } else {
                    environment.put(name, before);
                }
            }
        }
    }

    private static Started started(ProcessBuilder builder) {
        Instant at = Instant.now();
        long atNs = System.nanoTime();
        try {
            return new Started(builder.start(), at, atNs);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the thread; the kernel then kills every process that it started and that still lives. */
    @Override
    public void close() {
        forker.shutdown();
    }
}
