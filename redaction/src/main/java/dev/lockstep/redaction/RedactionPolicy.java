package dev.lockstep.redaction;

/** Which values of recorded requests are replaced, and by which key. Immutable; any thread. */
public interface RedactionPolicy {
    /** Returns a redactor for one connection. */
    ConnectionRedactor redactor();

    /** Returns the rules in one line, for the capture's header and for people; never the key. */
    String description();
}
