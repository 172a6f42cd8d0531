package dev.lockstep.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A file of lines that only grows: each is on the disk before anything follows from it, and the one that a kill tore is
 * dropped. It is locked as long as it is open. Used by one thread, which closes it.
 */
final class LineFile implements AutoCloseable {
    private final Path file;
    private final FileChannel channel;
    private String dropped;

    private LineFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Opens a file, and makes it where there is none.
     *
     * @throws SearchException where it cannot be opened, or another process has it open
     */
    static LineFile open(Path file) {
        try {
            OwnerOnly.makeFolder(file.toAbsolutePath().getParent());
            FileChannel channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    OwnerOnly.file(file));
            try {
                if (channel.tryLock() != null) {
                    return new LineFile(file, channel);
                }
            } catch (OverlappingFileLockException e) {
                // As if another process had it.
            }
            channel.close();
        } catch (IOException e) {
            throw new SearchException(file + ": cannot be opened: " + SearchException.reason(e));
        }
        throw new SearchException(file + ": another search writes it; wait for its end, or choose another directory");
    }

    Path file() {
        return file;
    }

    /** Returns all whole lines; what follows is written behind them. */
    List<String> read() {
        try {
            byte[] all = Channels.newInputStream(channel.position(0)).readAllBytes();
            int end = all.length;
            while (end > 0 && all[end - 1] != '\n') {
                end--;
            }
            if (end < all.length) {
                dropped = "the last line of " + file + " was torn by a kill (" + (all.length - end)
                        + " bytes) and is dropped; what it began is done again";
                channel.truncate(end);
            }
            channel.position(end);
            return new String(all, 0, end, StandardCharsets.UTF_8).lines().collect(Collectors.toList());
        } catch (IOException e) {
            throw new SearchException(file + ": cannot be read: " + SearchException.reason(e));
        }
    }

    /**
     * Returns a line as JSON.
     *
     * @param all the lines of the file, as {@link #read} returned them
     * @throws UnreadableException where it is none
     */
    ObjectNode line(List<String> all, int index) {
        try {
            return JsonLines.parse(all.get(index));
        } catch (IllegalArgumentException e) {
            throw unreadable(index, e);
        }
    }

    /** Hands a line over as JSON, which is unreadable too where it is refused by an IllegalArgumentException. */
    void take(List<String> all, int index, Consumer<ObjectNode> taking) {
        ObjectNode line = line(all, index);
        try {
            taking.accept(line);
        } catch (IllegalArgumentException e) {
            throw unreadable(index, e);
        }
    }

    private UnreadableException unreadable(int index, IllegalArgumentException e) {
        return new UnreadableException(file + ":" + (index + 1) + ": " + e.getMessage());
    }

    /** That a torn line was dropped, for people; absent where none was. */
    Optional<String> dropped() {
        return Optional.ofNullable(dropped);
    }

    /**
     * Keeps a copy of what cannot be read beside it, as name.unreadable, where it may be replaced.
     *
     * @param force whether it may
     * @return what was done, for people
     * @throws SearchException where it may not, or the copy cannot be written
     */
    String setAside(UnreadableException e, boolean force) {
        if (!force) {
            throw new SearchException(e.getMessage() + "; mend it, or --force replaces it, -o DIR begins beside it");
        }
        Path copy = file.resolveSibling(file.getFileName() + ".unreadable");
        copy(copy);
        return e.getMessage() + "; begun anew, as forced; " + copy + " has the old one";
    }

    /** What is there is replaced. The copy goes through the open file, for closing another would unlock it. */
    private void copy(Path to) {
        try (FileChannel copy = FileChannel.open(
                to,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING),
                OwnerOnly.file(to))) {
            long copied = 0;
            while (copied < channel.size()) {
                copied += channel.transferTo(copied, channel.size() - copied, copy);
            }
        } catch (IOException e) {
            throw new SearchException(to + ": cannot be written: " + SearchException.reason(e));
        }
    }

    /** Empties it. */
    void clear() {
        try {
            channel.truncate(0);
            channel.position(0);
        } catch (IOException e) {
            throw cannotBeWritten(e);
        }
    }

    void append(ObjectNode line) {
        ByteBuffer bytes = ByteBuffer.wrap((JsonLines.print(line) + "\n").getBytes(StandardCharsets.UTF_8));
        try {
            long end = channel.size();
            channel.position(end);
            try {
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            } catch (IOException e) {
                // What goes on after a full disk must find no torn line before it.
                channel.truncate(end);
                throw e;
            }
        } catch (IOException e) {
            throw cannotBeWritten(e);
        }
    }

    private SearchException cannotBeWritten(IOException e) {
        return new SearchException(file + ": cannot be written: " + SearchException.reason(e));
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new SearchException(file + ": cannot be closed: " + SearchException.reason(e));
        }
    }

    /** A line is not what its file has. The message is one line. */
    static final class UnreadableException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnreadableException(String message) {
            super(message);
        }
    }
}
