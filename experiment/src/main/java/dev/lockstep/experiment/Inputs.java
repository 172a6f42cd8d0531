package dev.lockstep.experiment;

import dev.lockstep.measurement.MeasurementException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a part depends on beside the words of its command: the files that it needs, those that its command names, which
 * for a program are what it made too, and the targets file. By their contents, so that the same files elsewhere are the
 * same. Used by one thread.
 */
final class Inputs {
    private static final String ABSENT = "absent";

    private final Path targets;
    private final Scope places;
    /** The digests of files, by path, size and time: the same capture is asked for again and again. */
    private final Map<List<Object>, String> known = new HashMap<>();

    /**
     * @param targets the definition's targets file, which there may not be
     * @param places what is known before services run
     */
    Inputs(Path targets, Scope places) {
        this.targets = targets;
        this.places = places;
    }

    /** Returns the first of the files that a part needs and that is not there. */
    Optional<Path> missing(Part part) {
        return places.words(part.needs()).stream()
                .map(Paths::get)
                .filter(file -> !Files.exists(file))
                .findFirst();
    }

    /** Returns a digest of all of them as they are now: 64 hexadecimal digits. */
    String digest(Part part) {
        StringBuilder all = new StringBuilder();
        List<String> words = new ArrayList<>(part.needs());
        words.addAll(part.words());
        for (String word : words) {
            String file = places.text(word);
            if (word.contains("{targetsFile}")) {
                all.append(word).append(' ').append(digest(targets)).append('\n');
            } else if (file.startsWith("/")) {
                all.append(word).append(' ').append(digest(Paths.get(file))).append('\n');
            }
        }
        return hex(sha256().digest(all.toString().getBytes(StandardCharsets.UTF_8)));
    }

    private String digest(Path file) {
        try {
            if (Files.isDirectory(file)) {
                return ofFolder(file);
            }
            if (!Files.isRegularFile(file)) {
                return ABSENT;
            }
            List<Object> version = List.of(file, Files.size(file), Files.getLastModifiedTime(file));
            String digest = known.get(version);
            if (digest == null) {
                MessageDigest sha256 = sha256();
                try (InputStream in = new DigestInputStream(Files.newInputStream(file), sha256)) {
                    in.transferTo(OutputStream.nullOutputStream());
                }
                digest = hex(sha256.digest());
                known.put(version, digest);
            }
            return digest;
        } catch (UncheckedIOException e) {
            throw new ExperimentException(file + ": cannot be read: " + MeasurementException.reason(e.getCause()));
        } catch (IOException e) {
            throw new ExperimentException(file + ": cannot be read: " + MeasurementException.reason(e));
        }
    }

    /** Of the files below it, such as the libraries of a service. */
    private String ofFolder(Path folder) throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().collect(Collectors.toList())) {
                all.append(folder.relativize(file))
                        .append(' ')
                        .append(digest(file))
                        .append('\n');
            }
        }
        return hex(sha256().digest(all.toString().getBytes(StandardCharsets.UTF_8)));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static String hex(byte[] digest) {
        return String.format("%064x", new BigInteger(1, digest));
    }
}
