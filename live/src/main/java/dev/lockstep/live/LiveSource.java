package dev.lockstep.live;

import java.util.Optional;

/** What pages show while it goes on. Thread-safe. */
interface LiveSource {
    /** What one page has been told. Its owner's thread. */
    interface Page {
        /** Returns what it lacks, as JSON on one line; empty for nothing. */
        Optional<String> lacks();
    }

    /** Returns what a page knows that was just opened. */
    Page open();
}
