package dev.lockstep.profiler;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import jdk.jfr.Configuration;

/**
 * One way to make a JVM record its own CPU samples: options for its start, and a file that it completes when it exits.
 * It records from its start on; the reader of the file says which samples count. Immutable.
 *
 * <p>Design note: nothing attaches to the running JVM. An agent that is there from the start sees every stub that the
 * VM generates, makes compilers keep what is needed to name inlined methods, and works the same way in all JVMs.
 * Start-up is recorded too, at no cost: its samples are left out by their time.
 */
public final class SampleRecording {
    /** Leaves the machine, the environment and the system properties out of the file. */
    private static final int SAMPLES_ONLY = 0x1f;

    /** Kernels tick every 1 to 10 ms; timers of threads give no more samples than ticks. */
    private static final String INTERVAL = "2ms";

    /**
     * How many frames of a stack the JVM's own recorder keeps. By default 64: web frameworks have more, and a flame
     * graph of stacks without their roots falls apart.
     */
    private static final int STACK_DEPTH = 1024;

    /**
     * HotSpot: "Could not find agent library X in absolute path, with error: Y: Z"; others say that they cannot load
     * it.
     */
    private static final Pattern NOT_LOADED = Pattern.compile("agent library|[Ll]oad");

    /** Null for the JVM's own recorder. */
    private final Path library;

    private final Path file;
    /** What the JVM's own recorder records; null for the other. */
    private final Path settings;

    private SampleRecording(Path library, Path file, Path settings) {
        this.library = library;
        this.settings = settings;
        this.file = file;
    }

    /**
     * Returns the recording by async-profiler: Java in every form, stubs, native code, and the kernel where it is open.
     */
    static SampleRecording asyncProfiler(Path library, Path file) {
        return new SampleRecording(library, file, null);
    }

    /**
     * Returns the recording by the JVM's own flight recorder: Java code only.
     *
     * @param settings of {@link #writeSettings}
     */
    static SampleRecording flightRecorder(Path file, Path settings) {
        return new SampleRecording(null, file, settings);
    }

    /**
     * Writes settings for the flight recorder that enable its samples alone: its usual ones record environment, system
     * properties and the command lines of other processes, which may be secret. Each other event is disabled by its
     * name, since those of Java code would be enabled where nothing is said.
     */
    static void writeSettings(Path file) {
        StringBuilder text = new StringBuilder("<configuration version=\"2.0\" label=\"Samples of Lockstep\">\n");
        try {
            Configuration.getConfiguration("profile").getSettings().keySet().stream()
                    .filter(key -> key.endsWith("#enabled"))
                    .sorted()
                    .map(key -> key.substring(0, key.indexOf('#')))
                    .forEach(event -> text.append("  <event name=\"")
                            .append(event)
                            .append("\"><setting name=\"enabled\">")
                            .append(JfrSamples.isRead(event))
                            .append("</setting>")
                            .append(event.equals(JfrSamples.SAMPLE) ? "<setting name=\"period\">10 ms</setting>" : "")
                            .append("</event>\n"));
            Files.writeString(file, text.append("</configuration>\n"));
        } catch (IOException | ParseException e) {
            throw new ProfilerException(file + ": cannot be written: " + e.getMessage(), e);
        }
    }

    /** Returns the options that make a JVM record itself. */
    public List<String> jvmOptions() {
        if (library == null) {
            return List.of(
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:+DebugNonSafepoints",
                    // Where the JVM keeps what is not in the file yet: not in a place where a killed JVM leaves it for
                    // ever.
                    "-XX:FlightRecorderOptions=stackdepth=" + STACK_DEPTH + ",repository="
                            + file.resolveSibling(file.getFileName() + ".parts"),
                    "-XX:StartFlightRecording=filename=" + file + ",settings=" + settings + ",dumponexit=true");
        }
        // "cpu" is perf events where the kernel allows them, and timers of threads elsewhere; the recording says which.
        return List.of("-agentpath:" + library + "=start,event=cpu,interval=" + INTERVAL + ",jfr,jfropts="
                + SAMPLES_ONLY + ",file=" + file + ",log=" + log() + ",loglevel=warn");
    }

    /**
     * Returns why a JVM could not load the profiler and what to do, for people; empty when it complains of something
     * else.
     *
     * @param output the lines of a JVM that ended at its start
     */
    public Optional<String> whyNotLoaded(List<String> output) {
        if (library == null) {
            return Optional.empty();
        }
        return output.stream()
                .filter(line -> line.contains(Profiler.LIBRARY)
                        && NOT_LOADED.matcher(line).find())
                .findFirst()
                .map(line -> "the JVM cannot load " + library + " (" + reason(line)
                        + "); where the run directory is mounted noexec, choose another with -o");
    }

    /** Returns what the system's loader says, which names the library itself. */
    private static String reason(String line) {
        String named = Profiler.LIBRARY + ": ";
        int at = line.lastIndexOf(named);
        return (at < 0 ? line : line.substring(at + named.length())).strip();
    }

    /** Returns the recorder's name, for people. */
    public String profiler() {
        return library == null ? "JFR" : "async-profiler";
    }

    /** Returns what such a recording cannot show, for people; empty where it shows everything. */
    public Optional<String> blindness() {
        return library == null
                ? Optional.of("JFR sees Java code only: no stubs, no native code, no compiler and no garbage collector")
                : Optional.empty();
    }

    /**
     * Returns the samples that were taken within this time; after the JVM has exited.
     *
     * @param interpreted whether the JVM has no compiler, like the Zero VM; the recordings call its Java code compiled
     * @throws ProfilerException when it left no recording, or one that cannot be read
     */
    public StackProfile read(Instant from, Instant to, boolean interpreted) {
        if (!Files.exists(file)) {
            throw new ProfilerException(profiler() + " left no recording" + complaint());
        }
        StackProfile profile;
        try {
            profile = JfrSamples.read(file, library != null, interpreted, from, to);
        } catch (IOException | RuntimeException e) {
            // Of a damaged file the JDK's reader throws whatever it runs into.
            throw new ProfilerException(
                    "the recording of " + profiler() + ", " + file.toFile().length() + " bytes, cannot be read: "
                            + reasons(e) + complaint(),
                    e);
        }
        if (library == null) {
            profile.event("jdk.ExecutionSample");
        }
        if (profile.samples() == 0) {
            throw new ProfilerException(profiler() + " took no sample under load" + complaint());
        }
        return profile;
    }

    /** Returns the message with those of its causes: the first one tells only which part of the file it is. */
    private static String reasons(Exception e) {
        StringJoiner reasons = new StringJoiner(": ");
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            reasons.add(
                    cause instanceof IOException && cause.getMessage() != null ? cause.getMessage() : cause.toString());
        }
        return reasons.toString();
    }

    private Path log() {
        return file.resolveSibling(file.getFileName() + ".log");
    }

    /** Returns the profiler's own complaint, if there is one. */
    private String complaint() {
        if (library == null) {
            return "";
        }
        try {
            return Files.readAllLines(log(), StandardCharsets.UTF_8).stream()
                    .filter(line -> !line.isBlank())
                    .findFirst()
                    .map(line -> " (" + line.strip() + ")")
                    .orElse("");
        } catch (IOException e) {
            // It did not even get as far as its log.
            return "";
        }
    }
}
