package dev.lockstep.experiment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.MeasurementException;
import dev.lockstep.results.directory.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What came of the parts of an experiment so far: {@code experiment.json} in its directory, written anew after each
 * part, so that the same command goes on after a kill. The directory is locked meanwhile. Used by one thread, which
 * closes it.
 */
final class State implements AutoCloseable {
    /** What came of a part. */
    enum End {
        /** Nothing yet: it was cut. */
        BEGUN,
        DONE,
        /** It has figures, which must not be trusted. */
        INVALID,
        /** A target was not ready in time with the value that was tried, which counts as one that does not hold. */
        NOT_READY,
        FAILED,
        SKIPPED
    }

    /** A part that was begun, or came to its end. */
    static final class Ended {
        final End end;
        /** Why it came to another end than that; empty for one that is done. */
        final String why;

        final long seconds;
        private final List<String> words;
        /** Of its {@link Inputs}. */
        private final String files;

        private Ended(End end, String why, long seconds, List<String> words, String files) {
            this.end = end;
            this.why = why;
            this.seconds = seconds;
            this.words = words;
            this.files = files;
        }

        /** Whether there is a result, if only one that must not be trusted. */
        boolean hasResult() {
            return end == End.DONE || end == End.INVALID;
        }
    }

    private static final String FILE = "experiment.json";
    private static final String LOCK = ".lock";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Path file;
    private final FileChannel lock;
    private final String experiment;
    private final Size size;
    private final Inputs inputs;
    private final Map<String, Ended> parts = new LinkedHashMap<>();

    private State(Path file, FileChannel lock, String experiment, Size size, Inputs inputs) {
        this.file = file;
        this.lock = lock;
        this.experiment = experiment;
        this.size = size;
        this.inputs = inputs;
    }

    /**
     * Opens a directory of an experiment, which is made where there is none.
     *
     * @throws ExperimentException where another experiment or anything else is in it, another process uses it, or it
     *     cannot be used
     */
    static State open(Path directory, String experiment, Size size, Inputs inputs) {
        FileChannel lock = null;
        boolean opened = false;
        try {
            // Not a link to one, which would be refused.
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(directory.toAbsolutePath(), OwnerOnly.folder(directory));
            }
            Path file = directory.resolve(FILE);
            requireOwn(directory, file);
            lock = lock(directory);
            State state = new State(file, lock, experiment, size, inputs);
            if (Files.exists(file)) {
                state.read();
            } else {
                // From now on it is the experiment's, whatever comes of it.
                state.save();
            }
            opened = true;
            return state;
        } catch (FileAlreadyExistsException e) {
            throw new ExperimentException(
                    directory + ": expected a directory, or none yet, found a file; choose another directory with -o");
        } catch (IOException e) {
            throw new ExperimentException(directory + ": cannot be written: " + MeasurementException.reason(e));
        } finally {
            if (!opened && lock != null) {
                close(lock);
            }
        }
    }

    /** Refuses a directory with files of somebody else, which those of parts would replace. */
    private static void requireOwn(Path directory, Path file) throws IOException {
        if (Files.exists(file)) {
            return;
        }
        Set<String> own = Set.of(LOCK, temporary(file).getFileName().toString());
        try (Stream<Path> all = Files.list(directory)) {
            Optional<String> other = all.map(one -> one.getFileName().toString())
                    .filter(name -> !own.contains(name))
                    .sorted()
                    .findFirst();
            if (other.isPresent()) {
                throw new ExperimentException(directory + ": expected an empty directory, or an experiment's with "
                        + FILE + ", found '" + other.get() + "' in it; choose another directory with -o");
            }
        }
    }

    private static FileChannel lock(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve(LOCK),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                OwnerOnly.file(directory));
        FileLock taken = null;
        try {
            taken = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Of this process, which is the same here.
        }
        if (taken == null) {
            channel.close();
            throw new ExperimentException(directory
                    + ": another experiment writes it; wait for its end, or choose another directory with -o");
        }
        return channel;
    }

    private void read() {
        JsonNode document;
        try {
            document = MAPPER.readTree(Files.readString(file, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw unreadable(MeasurementException.reason(e));
        }
        String found = document.path("experiment").asText() + " --"
                + document.path("size").asText();
        String expected = experiment + " --" + size.key();
        if (!found.equals(expected)) {
            throw new ExperimentException(file + ": expected the parts of " + expected + ", found those of " + found
                    + "; choose another directory with -o");
        }
        document.path("parts").properties().forEach(part -> {
            JsonNode value = part.getValue();
            List<String> words = new ArrayList<>();
            value.path("command").forEach(word -> words.add(word.asText()));
            String end = value.path("end").asText();
            if (Arrays.stream(End.values()).noneMatch(known -> known.name().equals(end))) {
                throw unreadable("part " + part.getKey() + ": expected an end of " + Arrays.toString(End.values())
                        + ", found '" + end + "'");
            }
            parts.put(
                    part.getKey(),
                    new Ended(
                            End.valueOf(end),
                            value.path("why").asText(),
                            value.path("seconds").asLong(),
                            words,
                            value.path("files").asText()));
        });
    }

    private ExperimentException unreadable(String why) {
        return new ExperimentException(file + ": cannot be read: " + why.replaceAll("\\s*\\R\\s*", " ")
                + "; choose another directory with -o, or delete this one to carry out all parts again");
    }

    /**
     * Returns what came of a part; absent where it did not come to its end, or its command was another one or met other
     * files.
     */
    Optional<Ended> of(Part part) {
        return Optional.ofNullable(parts.get(part.name())).filter(ended -> ended.end != End.BEGUN && isOf(part, ended));
    }

    /** Whether a part was last begun with this command and these files, whatever came of it. */
    boolean wasBegun(Part part) {
        Ended ended = parts.get(part.name());
        return ended != null && isOf(part, ended);
    }

    private boolean isOf(Part part, Ended ended) {
        return ended.words.equals(part.words()) && ended.files.equals(inputs.digest(part));
    }

    /** Keeps that a part begins, with the files that it meets. */
    void begins(Part part) {
        put(part, End.BEGUN, "", 0, inputs.digest(part));
    }

    /** Keeps what came of a part; it is on the disk when this returns. */
    void ended(Part part, End end, String why, long seconds) {
        // What a program made counts too. What others meet, they met at the beginning.
        Ended begun = parts.get(part.name());
        boolean isKnown = !part.isProgram() && begun != null && begun.end == End.BEGUN;
        put(part, end, why, seconds, isKnown ? begun.files : inputs.digest(part));
    }

    private void put(Part part, End end, String why, long seconds, String files) {
        parts.put(part.name(), new Ended(end, why, seconds, part.words(), files));
        save();
    }

    private void save() {
        ObjectNode document = MAPPER.createObjectNode();
        document.put("experiment", experiment).put("size", size.key());
        ObjectNode all = document.putObject("parts");
        parts.forEach((name, one) -> {
            ObjectNode node = all.putObject(name).put("end", one.end.name());
            if (!one.why.isEmpty()) {
                node.put("why", one.why);
            }
            node.put("seconds", one.seconds).put("files", one.files);
            ArrayNode words = node.putArray("command");
            one.words.forEach(words::add);
        });
        write(file, document.toPrettyString() + "\n");
    }

    /** Writes a file whole or not at all, readable by its owner only. */
    static void write(Path file, String text) {
        Path temporary = temporary(file);
        try {
            OwnerOnly.makeEmpty(temporary);
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new ExperimentException(file + ": cannot be written: " + MeasurementException.reason(e));
        }
    }

    private static Path temporary(Path file) {
        return file.resolveSibling("." + file.getFileName() + ".tmp");
    }

    @Override
    public void close() {
        close(lock);
    }

    private static void close(FileChannel lock) {
        try {
            lock.close();
        } catch (IOException e) {
            throw new ExperimentException("the lock of a directory cannot be given back: " + e.getMessage());
        }
    }
}
