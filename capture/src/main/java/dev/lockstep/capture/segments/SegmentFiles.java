package dev.lockstep.capture.segments;

import dev.lockstep.capture.CaptureException;
import dev.lockstep.capture.CaptureOptions;
import dev.lockstep.capture.files.CaptureOutput;
import dev.lockstep.capture.files.FileOutput;
import dev.lockstep.capture.files.SegmentNames;
import dev.lockstep.capture.files.SegmentOutputs;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/** The segments of a capture as files beside each other, see {@link SegmentNames}. */
public final class SegmentFiles implements SegmentOutputs {
    private final Path path;
    /** Where the first one is. */
    private final Path first;

    private final FileOutput begun;

    private SegmentFiles(Path path, Path first, FileOutput begun) {
        this.path = path;
        this.first = first;
        this.begun = begun;
    }

    /**
     * Creates the first segment's file. Later segments of a capture that it replaces are deleted; other files that
     * stand where its own later segments will come are refused now rather than in the middle of a recording, also where
     * it may overwrite: nobody who names one file means the recordings beside it.
     *
     * @param path what the later ones are named by
     * @param first where the first one is to be: the path, or the place that it is a link to
     */
    public static SegmentFiles create(Path path, Path first, CaptureOptions options) {
        UUID replaced = options.overwrite() ? id(path) : null;
        List<Path> others = later(path);
        List<Path> own = replaced == null ? List.of() : ofCapture(others, replaced);
        others.removeAll(own);
        if (replaced != null) {
            FileOutput.refuseRecorded(path);
            own.forEach(FileOutput::refuseRecorded);
        }
        // Only then: an empty one may be what a live recorder has just begun.
        if (options.rotates() && (options.overwrite() || Files.notExists(path))) {
            others.forEach(other -> clear(path, other));
        }
        own.forEach(SegmentFiles::delete);
        return new SegmentFiles(path, first, FileOutput.create(first, options.overwrite()));
    }

    /** Opens the last segment's file for more. */
    public static SegmentFiles append(AppendPoint point, CaptureOptions options) {
        SegmentFiles files =
                new SegmentFiles(point.firstPath, point.firstPath, FileOutput.append(point.path, point.fileBytes));
        try {
            if (options.rotates()) {
                Path first = point.firstPath.toAbsolutePath();
                List<Path> later = later(first);
                for (int own = 1; own <= point.identity.segment; own++) {
                    later.remove(SegmentNames.of(first, own));
                }
                later.forEach(next -> clear(point.firstPath, next));
            }
            return files;
        } catch (RuntimeException e) {
            files.release();
            throw e;
        }
    }

    /**
     * Makes room for a segment to come. An empty file there is what a recorder left that was killed before it wrote the
     * header; any other file is refused now rather than in the middle of the recording.
     */
    private static void clear(Path path, Path next) {
        try {
            if (Files.isRegularFile(next) && Files.size(next) == 0) {
                Files.delete(next);
            }
        } catch (IOException e) {
            throw new CaptureException(next, "an empty segment cannot be replaced: " + CaptureException.reason(e), e);
        }
        if (Files.exists(next)) {
            throw new CaptureException(
                    next, "the file stands where a segment of " + path + " may come; move it, or record elsewhere");
        }
    }

    /** Closes the file that is appended to, for a recording that cannot begin. */
    public void release() {
        try {
            begun.close();
        } catch (IOException e) {
            // The failure that came first is the one to tell.
        }
    }

    private static List<Path> later(Path path) {
        Path folder = path.toAbsolutePath().getParent();
        List<Path> later = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(
                folder, file -> SegmentNames.isLater(path, file.getFileName().toString()))) {
            files.forEach(later::add);
        } catch (IOException e) {
            later.clear(); // creating the file will tell what is wrong with its directory
        }
        return later;
    }

    /** Returns the id of the capture that a file belongs to, or null. */
    public static UUID id(Path path) {
        try (SegmentFile file = SegmentFile.open(path)) {
            return file.identity.id;
        } catch (CaptureException e) {
            return null;
        }
    }

    /** Returns the file of a path with the later segments of the same capture. */
    public static List<Path> ofCapture(Path path) {
        List<Path> files = new ArrayList<>(List.of(path));
        UUID id = id(path);
        if (id != null) {
            files.addAll(ofCapture(later(path), id));
        }
        return files;
    }

    private static List<Path> ofCapture(List<Path> segments, UUID id) {
        return segments.stream().filter(segment -> id.equals(id(segment))).collect(Collectors.toList());
    }

    private static void delete(Path segment) {
        try {
            Files.delete(segment);
        } catch (IOException e) {
            throw new CaptureException(
                    segment, "a segment of the capture to replace cannot be deleted: " + CaptureException.reason(e), e);
        }
    }

    /** Returns the file that {@link #append} has opened. */
    public CaptureOutput appended() {
        return begun;
    }

    @Override
    public CaptureOutput create(int segment) throws IOException {
        if (segment == 0) {
            return begun;
        }
        Path next = SegmentNames.of(path, segment);
        clear(path, next);
        return FileOutput.create(next, false);
    }

    @Override
    public void discard(int segment) {
        try {
            if (segment == 0) {
                begun.close();
                Files.deleteIfExists(first);
            } else {
                Files.deleteIfExists(SegmentNames.of(path, segment));
            }
        } catch (IOException e) {
            // The first failure is reported; an empty file is not taken for a segment.
        }
    }
}
