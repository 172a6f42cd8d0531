package dev.lockstep.packets;

import java.nio.file.Path;

/** A packet file that cannot be read. The message is one line: file, expected, found, what to do. */
public final class PacketException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PacketException(Path path, String problem, Throwable cause) {
        super(path + ": " + problem, cause);
    }
}
