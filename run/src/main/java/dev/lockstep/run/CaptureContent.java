package dev.lockstep.run;

import dev.lockstep.capture.Capture;
import dev.lockstep.capture.OpaquePieces;
import dev.lockstep.capture.Protocol;
import dev.lockstep.measurement.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Describes which part of a capture can be replayed, and what is left out. Immutable. */
final class CaptureContent {
    private final Capture capture;
    private final long durationNs;
    private final long opaqueBytes;
    private final long opaqueConnections;
    private final Set<String> opaqueProtocols = new TreeSet<>();
    private final long silentConnections;
    private final long tlsConnections;

    CaptureContent(Capture capture) {
        this.capture = capture;
        OpaquePieces opaque = capture.opaque();
        opaqueBytes = opaque.bytes() - opaque.bytesByHoles();
        long streams = 0;
        long silent = 0;
        long tls = 0;
        for (int connection = 0; connection < capture.connectionCount(); connection++) {
            Protocol protocol = capture.protocol(connection);
            if (capture.opaqueBytes(connection) > 0) {
                streams++;
                opaqueProtocols.add(protocol.label());
                tls += protocol == Protocol.TLS ? 1 : 0;
            } else if (capture.requestCount(connection) == 0) {
                silent++;
            }
        }
        opaqueConnections = streams;
        silentConnections = silent;
        tlsConnections = tls;
        long firstNs = Long.MAX_VALUE;
        long lastNs = 0;
        if (capture.requestCount() > 0) {
            firstNs = capture.timeNs(0);
            lastNs = capture.timeNs(capture.requestCount() - 1);
        }
        if (opaque.count() > 0) {
            firstNs = Math.min(firstNs, opaque.timeNs(0));
            lastNs = Math.max(lastNs, opaque.timeNs(opaque.count() - 1));
        }
        durationNs = Math.max(0, lastNs - firstNs);
    }

    /** Returns the time from the first to the last bytes of clients, in ns. */
    long durationNs() {
        return durationNs;
    }

    /**
     * Checks that there is something to replay.
     *
     * @param pooled whether over a pool, which sends complete requests only
     */
    void check(boolean pooled) {
        if (capture.requestCount() == 0
                && (opaqueBytes == 0 || opaqueProtocols.equals(Set.of(Protocol.THRIFT_MUX.label())))) {
            throw new RunException(
                    capture.path() + ": expected a capture with at least one complete request, found none"
                            + "; record again while a client sends requests");
        }
        if (capture.requestCount() == 0 && pooled) {
            throw new RunException(capture.path() + ": expected complete requests to send over a pool, found none, but "
                    + opaque() + "; leave -c and --pace out, and the recorded connections are replayed");
        }
    }

    private String opaque() {
        return Quantities.bytes(opaqueBytes) + " of " + String.join(", ", opaqueProtocols) + " on "
                + Quantities.count(opaqueConnections, "connection");
    }

    /** Returns "12 requests on 3 connections and 1.2 kB of websocket on 1 connection, in 2.0 s". */
    String heading(boolean pooled) {
        StringBuilder line = new StringBuilder();
        boolean streams = opaqueBytes > 0 && !pooled;
        if (capture.requestCount() > 0 || !streams) {
            line.append(Quantities.count(capture.requestCount(), "request"))
                    .append(" on ")
                    .append(Quantities.count(capture.connectionCount(), "connection"));
        }
        if (streams) {
            line.append(line.length() > 0 ? ", and " : "").append(opaque());
        }
        long shownNs = streams ? durationNs : capture.durationNs();
        return line.append(streams ? ", in " : " in ")
                .append(Quantities.duration(shownNs))
                .toString();
    }

    /** Returns what is not replayed, or not as it was, a line each. */
    List<String> notes(boolean pooled) {
        List<String> notes = new ArrayList<>();
        long byHoles = capture.opaque().bytesByHoles();
        if (byHoles > 0) {
            notes.add(Quantities.bytes(byHoles) + " of the capture not replayed, since they belong to requests of which"
                    + " bytes are missing, or come outside requests behind such a hole");
        }
        if (opaqueBytes > 0 && pooled) {
            notes.add(
                    opaque() + " not replayed: a pool sends complete requests only; without -c the recorded connections"
                            + " are replayed");
        }
        if (tlsConnections > 0 && !pooled) {
            notes.add(Quantities.count(tlsConnections, "connection")
                    + " of the capture in TLS, which only the recorded server can decrypt: a target closes each after its"
                    + " first bytes; record what is inside, or leave them out with: replay filter --protocol");
        }
        if (silentConnections > 0 && !pooled) {
            notes.add(Quantities.count(silentConnections, "connection")
                    + " of the capture on which nothing can be sent not replayed");
        }
        return notes;
    }
}
