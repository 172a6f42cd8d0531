package dev.lockstep.experiment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.results.directory.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What came of the parts of an experiment so far: {@code experiment.json} in its directory, written anew after each
 * part, so that the same command goes on after a kill. The directory is locked meanwhile. Used by one thread, which
 * closes it.
 */
final class State implements AutoCloseable {
    /** What came of a part. */
    enum End {
        DONE,
        FAILED,
        SKIPPED
    }

    /** A part that came to its end. */
    static final class Ended {
        final End end;
        /** Why it failed or was skipped; empty for one that is done. */
        final String why;

        final long seconds;
        private final List<String> words;

        private Ended(End end, String why, long seconds, List<String> words) {
            this.end = end;
            this.why = why;
            this.seconds = seconds;
            this.words = words;
        }
    }

    private static final String FILE = "experiment.json";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Path file;
    private final FileChannel lock;
    private final String experiment;
    private final Size size;
    private final Map<String, Ended> parts = new LinkedHashMap<>();

    private State(Path file, FileChannel lock, String experiment, Size size) {
        this.file = file;
        this.lock = lock;
        this.experiment = experiment;
        this.size = size;
    }

    /**
     * Opens a directory of an experiment, which is made where there is none.
     *
     * @throws ExperimentException where another experiment is in it, another process uses it, or it cannot be written
     */
    static State open(Path directory, String experiment, Size size) {
        FileChannel lock = null;
        boolean opened = false;
        try {
            Files.createDirectories(directory.toAbsolutePath(), OwnerOnly.folder(directory));
            lock = lock(directory);
            State state = new State(directory.resolve(FILE), lock, experiment, size);
            state.read();
            opened = true;
            return state;
        } catch (IOException e) {
            throw new ExperimentException(directory + ": cannot be written: " + e.getMessage());
        } finally {
            if (!opened && lock != null) {
                close(lock);
            }
        }
    }

    private static FileChannel lock(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve(".lock"),
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

    private void read() throws IOException {
        JsonNode document;
        try {
            document = MAPPER.readTree(Files.readString(file, StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            return;
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
            parts.put(
                    part.getKey(),
                    new Ended(
                            End.valueOf(value.path("end").asText()),
                            value.path("why").asText(),
                            value.path("seconds").asLong(),
                            words));
        });
    }

    /** Returns what came of a part, absent where it did not come to its end or its command was another one. */
    Optional<Ended> of(Part part) {
        return Optional.ofNullable(parts.get(part.name())).filter(ended -> ended.words.equals(part.words()));
    }

    /** Keeps what came of a part; it is on the disk when this returns. */
    void ended(Part part, End end, String why, long seconds) {
        parts.put(part.name(), new Ended(end, why, seconds, part.words()));
        ObjectNode document = MAPPER.createObjectNode();
        document.put("experiment", experiment).put("size", size.key());
        ObjectNode all = document.putObject("parts");
        parts.forEach((name, one) -> {
            ObjectNode node = all.putObject(name).put("end", one.end.name());
            if (!one.why.isEmpty()) {
                node.put("why", one.why);
            }
            node.put("seconds", one.seconds);
            ArrayNode words = node.putArray("command");
            one.words.forEach(words::add);
        });
        write(file, document.toPrettyString() + "\n");
    }

    /** Writes a file whole or not at all, readable by its owner only. */
    static void write(Path file, String text) {
        Path temporary = file.resolveSibling("." + file.getFileName() + ".tmp");
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
            throw new ExperimentException(file + ": cannot be written: " + e.getMessage());
        }
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
