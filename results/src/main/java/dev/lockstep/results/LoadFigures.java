package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.LoadCounts;
import dev.lockstep.measurement.LoadResult;
import dev.lockstep.measurement.Outage;
import dev.lockstep.measurement.Percentiles;
import dev.lockstep.measurement.StreamDigest;
import dev.lockstep.results.json.Json;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.immutables.value.Value;

/** The figures that the load of a target gave; all of them exist or none. A group of fields of {@link TargetResult}. */
@Value.Immutable
@JsonDeserialize(builder = ImmutableLoadFigures.Builder.class)
abstract class LoadFigures {
    static final class Reader extends Json.Group<LoadFigures> {
        Reader() {
            super(LoadFigures.class, "sent");
        }
    }

    static LoadFigures of(LoadResult load) {
        return ImmutableLoadFigures.builder()
                .measuredNs(load.measuredNs())
                .counts(load.counts().copy())
                .outages(load.outages())
                .outagesLeftOut(load.outagesLeftOut())
                .streamSha256(load.streamDigest().sha256())
                .streamSha256Absent(load.streamDigest().absentReason())
                .responseTime(load.responseTimes())
                .serviceTime(load.serviceTimes())
                .generatorLag(Percentiles.of(load.generatorLag()))
                .ownLag(Percentiles.of(load.ownLag()))
                .opaqueFirstByte(opaque(load, load.opaqueFirstByte()))
                .opaqueLastByte(opaque(load, load.opaqueLastByte()))
                .endpoints(load.endpoints().stream()
                        .filter(endpoint -> endpoint.count() > 0)
                        .map(endpoint -> EndpointResult.of(endpoint, load.responseTimes(endpoint)))
                        .collect(Collectors.toList()))
                .build();
    }

    private static Optional<Percentiles> opaque(LoadResult load, Histogram times) {
        return load.hasOpaqueTimes() ? Optional.of(Percentiles.of(times)) : Optional.empty();
    }

    /** Time under measured load, without frozen time. */
    abstract long measuredNs();

    /** Not to be changed. */
    @JsonUnwrapped
    abstract LoadCounts counts();

    /** The first 1,000 times in which it could not be reached; see docs/replaying.md. */
    abstract List<Outage> outages();

    /** How many more there were. */
    @JsonInclude(Include.NON_DEFAULT)
    @Value.Default
    long outagesLeftOut() {
        return 0;
    }

    /**
     * SHA-256 of the request bytes handed to the sockets in the first pass; the capture's if the target got exactly
     * these.
     */
    abstract Optional<String> streamSha256();

    /** Why there is no such digest. */
    abstract Optional<String> streamSha256Absent();

    /** {@code completed} per second of {@code measuredNs}. */
    @Value.Derived
    OptionalDouble throughputPerSec() {
        return LoadCounts.perSec(counts().completed, measuredNs());
    }

    /** Request bytes given to sockets, whether or not the target took all of them. */
    @Value.Derived
    long bytesSent() {
        return counts().bytesSent;
    }

    /** Response bytes, heads and chunk framing included. */
    @Value.Derived
    long bytesReceived() {
        return counts().bytesReceived;
    }

    /** Response bytes without heads and chunk framing. */
    @Value.Derived
    long bodyBytesReceived() {
        return counts().bodyBytesReceived;
    }

    /** From the intended send to the last byte, of the completed requests. */
    @JsonProperty(value = "responseTimeNs", required = true)
    abstract Percentiles responseTime();

    /** From the actual send to the last byte. */
    @JsonProperty(value = "serviceTimeNs", required = true)
    abstract Percentiles serviceTime();

    /**
     * From the intended to the actual send, of all requests handed to a connection, waits for a busy or unopened one
     * included.
     */
    @JsonProperty(value = "generatorLagNs", required = true)
    abstract Percentiles generatorLag();

    /**
     * How late Lockstep itself was with each send: up to it, or to where it began to wait for the target. It decides
     * whether the run is valid; empty in a closed loop.
     */
    @JsonProperty(value = "ownLagNs", required = true)
    abstract Percentiles ownLag();

    /** From the intended send of such a burst to the first byte from the target. */
    @JsonProperty("opaqueFirstByteNs")
    abstract Optional<Percentiles> opaqueFirstByte();

    /** To the last byte before the next burst. */
    @JsonProperty("opaqueLastByteNs")
    abstract Optional<Percentiles> opaqueLastByte();

    /** What came of the requests of each endpoint, the most frequent of the capture first. */
    @JsonInclude(Include.NON_EMPTY)
    abstract List<EndpointResult> endpoints();

    @Value.Check
    void check() {
        if (streamSha256().isEmpty() && streamSha256Absent().isEmpty()) {
            throw new MissingFieldException("streamSha256Absent");
        }
    }

    StreamDigest streamDigest() {
        return streamSha256()
                .map(StreamDigest::of)
                .orElseGet(() -> StreamDigest.absent(streamSha256Absent().orElseThrow()));
    }
}
