package dev.lockstep.capture;

import dev.lockstep.capture.files.FileOutput;
import dev.lockstep.capture.segments.SegmentFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    /** Where each file is by now. */
    private final Map<Path, Path> aside = new LinkedHashMap<>();

    private ReplacedCapture(Path path) {
        this.path = path;
    }

    /**
     * Sets aside what is at a path, if that is to be replaced.
     *
     * @throws CaptureException where it is being recorded, or cannot be renamed
     */
    public static ReplacedCapture setAside(Path path, CaptureOptions options) {
        if (!options.overwrite() || !Files.isRegularFile(path)) {
            return new ReplacedCapture(path);
        }
        ReplacedCapture replaced;
        try {
            // The place itself, where the path is a link.
            replaced = new ReplacedCapture(path.toRealPath());
        } catch (IOException e) {
            throw unreplaceable(path, e);
        }
        List<Path> files = SegmentFiles.ofCapture(replaced.path);
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
        return new CaptureException(path, "cannot be replaced: " + FileOutput.reason(e), e);
    }

    /** Returns where the new one is to be written. */
    public Path path() {
        return path;
    }

    /** Deletes it, since the new one is complete, or else puts it back, once nothing is left of that. */
    public void end(boolean complete) {
        if (complete) {
            delete();
        } else {
            restore();
        }
    }

    private void restore() {
        aside.forEach((file, place) -> {
            try {
                Files.move(place, file);
            } catch (IOException e) {
                // It is whole where it is; the failure that came first is the one to tell.
            }
        });
        aside.clear();
    }

    private void delete() {
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
