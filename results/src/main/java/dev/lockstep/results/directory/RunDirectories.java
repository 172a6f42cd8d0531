package dev.lockstep.results.directory;

import dev.lockstep.measurement.MeasurementException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The run directories below a folder, in the order of their names. Links in it are not followed. Immutable. */
public final class RunDirectories {
    private static final String NO_RUN = "not a run directory: neither it nor a folder in it has a run.json";

    private final List<Path> finished;
    private final Map<Path, String> others;

    private RunDirectories(List<Path> finished, Map<Path, String> others) {
        this.finished = finished;
        this.others = others;
    }

    /** @throws MeasurementException where the folder is none, or cannot be read */
    public static RunDirectories below(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new MeasurementException(folder + ": expected a folder of run directories, found "
                    + (Files.exists(folder) ? "a file" : "nothing"));
        }
        try {
            // The folder itself may be a link.
            Path place = folder.toRealPath();
            Search search = new Search(place);
            Files.walkFileTree(place, search);
            Map<Path, String> others = new LinkedHashMap<>();
            search.others.forEach((path, why) -> others.put(named(folder, place, path), why));
            return new RunDirectories(
                    search.finished.stream()
                            .map(path -> named(folder, place, path))
                            .sorted()
                            .collect(Collectors.toUnmodifiableList()),
                    others);
        } catch (IOException e) {
            throw new MeasurementException(folder + ": cannot be read: " + MeasurementException.reason(e), e);
        }
    }

    private static Path named(Path folder, Path place, Path path) {
        return path.equals(place) ? folder : folder.resolve(place.relativize(path));
    }

    /** Returns those with a result. */
    public List<Path> finished() {
        return finished;
    }

    /** Returns the folders that hold no finished run, and why they are passed over, for people. */
    public Map<Path, String> others() {
        return others;
    }

    private static final class Search extends SimpleFileVisitor<Path> {
        private final Path folder;
        private final List<Path> finished = new ArrayList<>();
        private final Map<Path, String> others = new LinkedHashMap<>();

        Search(Path folder) {
            this.folder = folder;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            if (Files.exists(directory.resolve(RunFiles.RESULT))) {
                finished.add(directory);
                return FileVisitResult.SKIP_SUBTREE;
            }
            if (Files.exists(directory.resolve(RunFiles.PLAN))) {
                others.put(
                        directory,
                        RunLock.isTaken(directory)
                                ? "a run is writing it"
                                : "its run has not ended, or was killed or failed; replay recover makes a result of it");
                return FileVisitResult.SKIP_SUBTREE;
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, IOException problem) throws IOException {
            if (problem != null) {
                throw problem;
            }
            boolean holdsSome = finished.stream().anyMatch(run -> run.startsWith(directory))
                    || others.keySet().stream().anyMatch(other -> other.startsWith(directory));
            if (!holdsSome && !directory.equals(folder)) {
                others.put(directory, NO_RUN);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException problem) {
            others.put(file, "cannot be read: " + MeasurementException.reason(problem));
            return FileVisitResult.CONTINUE;
        }
    }
}
