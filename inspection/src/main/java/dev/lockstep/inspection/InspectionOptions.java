package dev.lockstep.inspection;

import dev.lockstep.capture.EncryptionKey;
import java.util.function.Consumer;

/** What to find out about a capture. Immutable. */
public final class InspectionOptions {
    private final int top;
    private final int head;
    private final Consumer<ConnectionFacts> connections;
    private final EncryptionKey key;

    private InspectionOptions(int top, int head, Consumer<ConnectionFacts> connections, EncryptionKey key) {
        this.top = top;
        this.head = head;
        this.connections = connections;
        this.key = key;
    }

    /** Returns the defaults: the ten most frequent names of each kind, no requests, no list of connections, no key. */
    public static InspectionOptions defaults() {
        return new InspectionOptions(10, 0, null, null);
    }

    /** Returns these options with how many of the most frequent names are told, at least 1. */
    public InspectionOptions top(int names) {
        if (names < 1) {
            throw new IllegalArgumentException("top must be at least 1, found " + names);
        }
        return new InspectionOptions(names, head, connections, key);
    }

    /** Returns these options with how many of the first requests are told. */
    public InspectionOptions head(int requests) {
        if (requests < 0) {
            throw new IllegalArgumentException("head must be at least 0, found " + requests);
        }
        return new InspectionOptions(top, requests, connections, key);
    }

    /** Returns these options with who takes each connection, once it has ended; its digest is computed then. */
    public InspectionOptions connections(Consumer<ConnectionFacts> taker) {
        return new InspectionOptions(top, head, taker, key);
    }

    /** Returns these options with the key of an encrypted capture, or null. */
    public InspectionOptions key(EncryptionKey encryptionKey) {
        return new InspectionOptions(top, head, connections, encryptionKey);
    }

    int top() {
        return top;
    }

    int head() {
        return head;
    }

    Consumer<ConnectionFacts> connections() {
        return connections;
    }

    EncryptionKey key() {
        return key;
    }
}
