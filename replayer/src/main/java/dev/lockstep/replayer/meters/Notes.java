package dev.lockstep.replayer.meters;

import java.util.ArrayList;
import java.util.List;

/** What a reader of one target's figures must know, a line each. One event loop writes, any thread reads. */
public final class Notes {
    /** Beyond these, notes say nothing new: a target may put a number of its own into each. */
    private static final int MOST = 20;

    private volatile List<String> lines = List.of();

    /** Adds a line, unless it is there already. */
    public void add(String line) {
        List<String> before = lines;
        if (before.size() < MOST && !before.contains(line)) {
            List<String> after = new ArrayList<>(before);
            after.add(line);
            lines = List.copyOf(after);
        }
    }

    public List<String> lines() {
        return lines;
    }
}
