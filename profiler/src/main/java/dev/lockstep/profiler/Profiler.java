package dev.lockstep.profiler;

import dev.lockstep.results.directory.FileTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What is needed to profile targets: async-profiler's library, unpacked from its jar, and a place for recordings. Both
 * lie in a folder of the run directory that only its owner can enter and that goes with {@link #close}. Used by one
 * thread.
 *
 * <p>Design note: they do not lie in the folder for temporary files, where a killed process would leave them for ever.
 * The owner of a run directory removes it, or lets another run replace it.
 */
public final class Profiler implements AutoCloseable {
    static final String LIBRARY = "libasyncProfiler.so";
    /** Characters that async-profiler's options, JFR's or a start script take for more than a part of a path. */
    private static final Pattern UNNAMEABLE = Pattern.compile("[\\s,%='\"\\\\]");

    private static final String ELSEWHERE = "; choose another run directory with -o";

    private final Path folder;
    private final Path library;
    private int recordings;

    private Profiler(Path folder, Path library) {
        this.folder = folder;
        this.library = library;
    }

    /**
     * Checks, before a run, that profilers can work in its directory.
     *
     * @throws ProfilerException where JVM options cannot name it
     */
    public static void check(Path directory) {
        Path absolute = directory.toAbsolutePath();
        if (UNNAMEABLE.matcher(absolute.toString()).find()) {
            throw new ProfilerException(absolute
                    + ": expected a path without blanks, quotes, backslashes and , % =, which the JVM options of profilers"
                    + " cannot name" + ELSEWHERE);
        }
    }

    /**
     * Makes the folder and unpacks the library for this machine, if there is one.
     *
     * @param folder must not exist yet
     * @throws ProfilerException where it cannot be made, or JVM options cannot name it
     */
    public static Profiler open(Path folder) {
        return open(folder, System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static Profiler open(Path folder, String system, String architecture) {
        check(folder);
        Path absolute = folder.toAbsolutePath();
        try {
            Files.createDirectory(
                    absolute, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new ProfilerException(absolute + ": cannot make the folder for profiles: " + e + ELSEWHERE, e);
        }
        try {
            return new Profiler(absolute, unpack(platform(system, architecture), absolute));
        } catch (IOException e) {
            new Profiler(absolute, null).close();
            throw new ProfilerException(absolute + ": cannot unpack async-profiler: " + e + ELSEWHERE, e);
        }
    }

    /** Returns the folder of the library within async-profiler's jar. */
    static Optional<String> platform(String system, String architecture) {
        if (!system.toLowerCase(Locale.ROOT).contains("linux")) {
            return Optional.empty();
        }
        switch (architecture.toLowerCase(Locale.ROOT)) {
            case "amd64":
            case "x86_64":
                return Optional.of("linux-x64");
            case "aarch64":
            case "arm64":
                return Optional.of("linux-arm64");
            default:
                return Optional.empty();
        }
    }

    /** Returns the unpacked library, or null where there is none for the platform. */
    private static Path unpack(Optional<String> platform, Path folder) throws IOException {
        if (platform.isEmpty()) {
            return null;
        }
        String resource = "/" + platform.get() + "/" + LIBRARY;
        try (InputStream in = Profiler.class.getResourceAsStream(resource)) {
            if (in == null) {
                return null;
            }
            Path file = folder.resolve(LIBRARY);
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            return file;
        }
    }

    /** Returns the folder for whatever else belongs to the targets that are profiled; it goes with {@link #close}. */
    public Path folder() {
        return folder;
    }

    /** Returns the ways to profile one launch of a JVM, the best first; what fails with one may work with the next. */
    public List<SampleRecording> recordings() {
        recordings++;
        List<SampleRecording> ways = new ArrayList<>();
        if (library != null) {
            ways.add(SampleRecording.asyncProfiler(library, folder.resolve(recordings + ".async.jfr")));
        }
        Path settings = folder.resolve("samples.jfc");
        if (!Files.exists(settings)) {
            SampleRecording.writeSettings(settings);
        }
        ways.add(SampleRecording.flightRecorder(folder.resolve(recordings + ".jvm.jfr"), settings));
        return ways;
    }

    /** Removes the folder with everything in it. */
    @Override
    public void close() {
        try {
            FileTree.remove(folder);
        } catch (IOException e) {
            throw new ProfilerException(folder + ": cannot be removed: " + e.getMessage() + "; remove it by hand", e);
        }
    }
}
