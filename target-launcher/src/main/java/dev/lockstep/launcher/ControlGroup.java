package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The control group of one target. Safe to use from any thread; whoever made it removes it. */
interface ControlGroup {
    /** Returns the files into which a process writes its id to join. */
    List<Path> joinFiles();

    /** Returns its folders by controller, "unified" for v2. */
    Map<String, Path> directories();

    /** Returns the limit as read back; empty when there is none. */
    OptionalLong memoryLimitBytes();

    OptionalLong memoryPeakBytes();

    OptionalLong oomKills();

    /**
     * Stops all its processes and returns when they stand still.
     *
     * @throws IOException when they do not within some seconds; they go on then
     */
    void freeze() throws IOException;

    void thaw() throws IOException;

    /** Kills what is left in it, frozen or not, and removes it; idempotent. */
    void remove();
}
