package dev.lockstep.launcher;

import java.nio.file.Path;

/**
 * A file that a target is made of is another one than when a target was first started with it, as after an update of
 * the JDK's package or a build of the application: what was measured before and what would be measured from now on are
 * not of one program. The message is one line.
 */
public final class ProgramReplacedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ProgramReplacedException(String target, Path file, boolean gone) {
        super("target " + target + ": " + file
                + (gone ? " is gone since it was first used here" : " was replaced since it was first used here")
                + ", so that figures would be of two programs; begin anew");
    }
}
