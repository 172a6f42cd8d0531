package dev.lockstep.capture.files;

import java.nio.file.Path;

/** The names of a capture's segments: {@code capture.bin}, {@code capture.1.bin}, {@code capture.2.bin}, ... */
public final class SegmentNames {
    private SegmentNames() {}

    /**
     * Returns the path of a segment.
     *
     * @param first the path of segment 0
     */
    public static Path of(Path first, int segment) {
        return segment == 0 ? first : named(first, stem(first) + '.' + segment + extension(first));
    }

    /** Returns the path of the segment behind one, or null when its name is not that of this segment. */
    public static Path next(Path path, int segment) {
        String stem = stem(path);
        if (segment == 0) {
            return of(path, 1);
        }
        String number = "." + segment;
        // First, since an extension may be the same number: "capture.1", "capture.1.1", "capture.2.1", ...
        if (stem.endsWith(number)) {
            return named(
                    path, stem.substring(0, stem.length() - number.length()) + '.' + (segment + 1) + extension(path));
        }
        // A first segment without an extension: "capture", "capture.1", ...
        return extension(path).equals(number) ? named(path, stem + '.' + (segment + 1)) : null;
    }

    /** Whether a file name is that of a later segment of the capture that begins at a path. */
    public static boolean isLater(Path first, String name) {
        String stem = stem(first) + '.';
        String extension = extension(first);
        if (name.length() <= stem.length() + extension.length()
                || !name.startsWith(stem)
                || !name.endsWith(extension)) {
            return false;
        }
        String number = name.substring(stem.length(), name.length() - extension.length());
        return number.charAt(0) != '0' && number.chars().allMatch(digit -> digit >= '0' && digit <= '9');
    }

    private static Path named(Path sibling, String name) {
        return sibling.resolveSibling(name);
    }

    private static String stem(Path path) {
        String name = path.getFileName().toString();
        return name.substring(0, dot(name));
    }

    private static String extension(Path path) {
        String name = path.getFileName().toString();
        return name.substring(dot(name));
    }

    private static int dot(String name) {
        int dot = name.lastIndexOf('.');
        return dot <= 0 ? name.length() : dot;
    }
}
