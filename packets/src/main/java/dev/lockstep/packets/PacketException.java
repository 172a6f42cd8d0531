package dev.lockstep.packets;

import java.nio.file.Path;

/** A packet file that cannot be read. The message is one line: file, expected, found, what to do. */
public final class PacketException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String problem;

    PacketException(Path path, String problem, Throwable cause) {
        super(path + ": " + problem, cause);
        this.problem = problem;
    }

    /** Returns the message without the file. */
    public String problem() {
        return problem;
    }
}
