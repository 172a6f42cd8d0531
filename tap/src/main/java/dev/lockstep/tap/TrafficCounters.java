package dev.lockstep.tap;

import java.util.concurrent.atomic.LongAdder;

/** Counts of the traffic, added to by the threads that handle connections; {@link TrafficStatus} defines each. */
final class TrafficCounters {
    final LongAdder connections = new LongAdder();
    final LongAdder closedConnections = new LongAdder();
    final LongAdder requests = new LongAdder();
    final LongAdder http2Requests = new LongAdder();
    final LongAdder clientBytes = new LongAdder();
    final LongAdder upstreamBytes = new LongAdder();
    final LongAdder opaqueConnections = new LongAdder();
    final LongAdder ambiguousRequests = new LongAdder();
    final LongAdder incompleteRequests = new LongAdder();
    final LongAdder gaps = new LongAdder();
    final LongAdder missedBytes = new LongAdder();
    final LongAdder redactions = new LongAdder();
    final LongAdder defects = new LongAdder();
    volatile Throwable lastDefect;
}
