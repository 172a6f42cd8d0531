package dev.lockstep.profiler;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What is needed to profile targets: async-profiler's library, unpacked from its jar, and a place for recordings. Both
 * lie in a private folder that only its owner can enter and that goes with {@link #close}. Used by one thread.
 */
public final class Profiler implements AutoCloseable {
    private static final String LIBRARY = "libasyncProfiler.so";
    private static final String ELSEWHERE = "; choose another place with LOCKSTEP_JAVA_OPTS=-Djava.io.tmpdir=DIR";

    private final Path folder;
    private final Path library;
    private int recordings;

    private Profiler(Path folder, Path library) {
        this.folder = folder;
        this.library = library;
    }

    /**
     * Makes the folder and unpacks the library for this machine, if there is one.
     *
     * @throws ProfilerException where no folder can be made that JVM options can name
     */
    public static Profiler open() {
        return open(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static Profiler open(String system, String architecture) {
        Path folder;
        try {
            folder = Files.createTempDirectory("lockstep-profile-").toAbsolutePath();
        } catch (IOException e) {
            throw new ProfilerException(
                    System.getProperty("java.io.tmpdir") + ": cannot make a folder for profiles: " + e.getMessage()
                            + ELSEWHERE,
                    e);
        }
        try {
            if (!folder.toString().matches("[^,\\s]+")) {
                throw new ProfilerException(folder
                        + ": expected a path without commas and blanks, which JVM options cannot name" + ELSEWHERE);
            }
            return new Profiler(folder, unpack(platform(system, architecture), folder));
        } catch (IOException | ProfilerException e) {
            new Profiler(folder, null).close();
            throw e instanceof ProfilerException
                    ? (ProfilerException) e
                    : new ProfilerException(
                            folder + ": cannot unpack async-profiler: " + e.getMessage() + ELSEWHERE, e);
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
    public List<Recording> recordings() {
        recordings++;
        List<Recording> ways = new ArrayList<>();
        if (library != null) {
            ways.add(Recording.asyncProfiler(library, folder.resolve(recordings + ".async.jfr")));
        }
        ways.add(Recording.flightRecorder(folder.resolve(recordings + ".jvm.jfr")));
        return ways;
    }

    /** Removes the folder with everything in it. */
    @Override
    public void close() {
        try {
            remove(folder);
        } catch (IOException e) {
            throw new ProfilerException(folder + ": cannot be removed: " + e.getMessage() + "; remove it by hand", e);
        }
    }

    private static void remove(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
                for (Path entry : entries) {
                    remove(entry);
                }
            }
        }
        Files.deleteIfExists(path);
    }
}
