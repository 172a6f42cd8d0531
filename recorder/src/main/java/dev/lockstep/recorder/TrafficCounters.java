package dev.lockstep.recorder;

import java.util.concurrent.atomic.LongAdder;

/** What a recording has seen, counted by the threads that handle connections and read by any thread. */
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
    final LongAdder packets = new LongAdder();
    final LongAdder kernelDrops = new LongAdder();
    final LongAdder redactions = new LongAdder();
    final LongAdder defects = new LongAdder();
    final LongAdder upstreamFailures = new LongAdder();
    final LongAdder acceptFailures = new LongAdder();
    final LongAdder refusedConnections = new LongAdder();
    final LongAdder refusedHeaders = new LongAdder();
    final LongAdder clientTlsFailures = new LongAdder();
    final LongAdder upstreamTlsFailures = new LongAdder();
    final LongAdder idleConnections = new LongAdder();

    /** The defect of ours that ended a connection's recording last, or null. */
    volatile Throwable lastDefect;

    /** Why a TLS handshake with a client failed last, one line, or null. */
    volatile String lastClientTlsProblem;

    /** Why a TLS handshake with the upstream failed last, one line, or null. */
    volatile String lastUpstreamTlsProblem;
}
