package dev.lockstep.recorder;

import java.util.concurrent.atomic.LongAdder;

/** What a proxy did not serve, counted by the event loops; {@link RecordingStatus} defines each figure. */
final class ProxyCounters {
    final LongAdder upstreamFailures = new LongAdder();
    final LongAdder acceptFailures = new LongAdder();
    final LongAdder refusedConnections = new LongAdder();
    final LongAdder refusedHeaders = new LongAdder();
    final LongAdder clientTlsFailures = new LongAdder();
    final LongAdder upstreamTlsFailures = new LongAdder();
    volatile String lastClientTlsProblem;
    volatile String lastUpstreamTlsProblem;
}
