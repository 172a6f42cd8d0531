package dev.lockstep.capture;

import dev.lockstep.capture.files.FileOutput;
import dev.lockstep.capture.segments.SegmentFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The capture that a new one replaces, all its segments: beside it under other names until the new one is complete, so
 * that one that fails costs nothing. Used by one thread.
 */
public final class ReplacedCapture {
    private final Path path;
    /** Where the first file is: the place itself, where the path is a link. */
    private final Path first;

    private final CaptureOptions options;
    /** Where each file is by now. */
    private final Map<Path, Path> aside = new LinkedHashMap<>();

    private ReplacedCapture(Path path, Path first, CaptureOptions options) {
        this.path = path;
        this.first = first;
        this.options = options;
    }

    /**
     * Sets aside what is at a path, if that is to be replaced.
     *
     * @param options those of the new one
     * @throws CaptureException where it is being recorded, or cannot be renamed
     */
    public static ReplacedCapture setAside(Path path, CaptureOptions options) {
        if (!options.overwrite() || !Files.isRegularFile(path)) {
            return new ReplacedCapture(path, path, options);
        }
        ReplacedCapture replaced;
        try {
            replaced = new ReplacedCapture(path, path.toRealPath(), options);
        } catch (IOException e) {
            throw unreplaceable(path, e);
        }
        List<Path> files = SegmentFiles.ofCapture(path);
        files.set(0, replaced.first);
        files.forEach(FileOutput::refuseRecorded);
        for (Path file : files) {
            Path place = file.resolveSibling("." + file.getFileName() + "." + UUID.randomUUID() + ".replaced");
            try {
                Files.move(file, place);
                replaced.aside.put(file, place);
            } catch (IOException e) {
                replaced.restore();
                throw unreplaceable(file, e);
            }
        }
        return replaced;
    }

    private static CaptureException unreplaceable(Path path, IOException e) {
        return new CaptureException(path, "cannot be replaced: " + CaptureException.reason(e), e);
    }

    /**
     * Begins the new one: where the path is a link its first segment at the link's place, the later ones beside the
     * link, where a reader of that looks for them.
     *
     * @throws CaptureException when it cannot be created
     */
    public CaptureWriter begin() {
        return CaptureWriter.create(path, first, options);
    }

    /** Whether there was nothing to replace. */
    public boolean isEmpty() {
        return aside.isEmpty();
    }

    /**
     * Puts it back, once nothing is left of the new one.
     *
     * @return the files that could not be put back, where they are: they are whole
     */
    public List<Path> restore() {
        List<Path> left = new ArrayList<>();
        aside.forEach((file, place) -> {
            try {
                Files.move(place, file);
            } catch (IOException e) {
                left.add(place);
            }
        });
        aside.clear();
        return left;
    }

    /** Deletes it, since the new one is complete. */
    public void delete() {
        aside.values().forEach(place -> {
            try {
                Files.deleteIfExists(place);
            } catch (IOException e) {
                // Only its name is in the way of nobody.
            }
        });
        aside.clear();
    }
}
