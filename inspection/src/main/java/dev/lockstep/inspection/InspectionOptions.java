package dev.lockstep.inspection;

import dev.lockstep.capture.EncryptionKey;
import java.util.function.Consumer;

/** What to find out about a capture. Immutable; each method makes a copy. */
public final class InspectionOptions {
    final int top;
    final int head;
    final Consumer<ConnectionFacts> connections;
    final EncryptionKey key;

    private InspectionOptions(int top, int head, Consumer<ConnectionFacts> connections, EncryptionKey key) {
        this.top = top;
        this.head = head;
        this.connections = connections;
        this.key = key;
    }

    /** The ten most frequent names of each kind, no requests, no list of connections, no key. */
    public static InspectionOptions defaults() {
        return new InspectionOptions(10, 0, null, null);
    }

    /** How many of the most frequent names are shown, at least 1. */
    public InspectionOptions top(int names) {
        if (names < 1) {
            throw new IllegalArgumentException("top must be at least 1, found " + names);
        }
        return new InspectionOptions(names, head, connections, key);
    }

    /** How many of the first requests are shown. */
    public InspectionOptions head(int requests) {
        if (requests < 0) {
            throw new IllegalArgumentException("head must be at least 0, found " + requests);
        }
        return new InspectionOptions(top, requests, connections, key);
    }

    /** Takes each connection once it has ended. Its digest is computed then. */
    public InspectionOptions connections(Consumer<ConnectionFacts> taker) {
        return new InspectionOptions(top, head, taker, key);
    }

    /** The key of an encrypted capture, or null. */
    public InspectionOptions key(EncryptionKey encryptionKey) {
        return new InspectionOptions(top, head, connections, encryptionKey);
    }
}
