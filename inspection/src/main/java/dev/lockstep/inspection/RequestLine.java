package dev.lockstep.inspection;

import dev.lockstep.capture.Protocol;
import dev.lockstep.protocol.RequestFacts;

/** One request in a list for people. Method, target and host are as recorded, not fit for a terminal. */
final class RequestLine {
    /** When its first byte came, in ns since the capture's start. */
    final long timeNs;

    final ConnectionFacts connection;
    /** What its connection was recognised as then. */
    final Protocol protocol;

    final RequestFacts facts;
    /** Its length; 0 for HTTP/2, where it is not known. */
    final long bytes;

    RequestLine(long timeNs, ConnectionFacts connection, RequestFacts facts, long bytes) {
        this.timeNs = timeNs;
        this.connection = connection;
        this.protocol = connection.protocol;
        this.facts = facts;
        this.bytes = bytes;
    }
}
