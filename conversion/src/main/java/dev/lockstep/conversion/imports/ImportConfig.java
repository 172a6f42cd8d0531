package dev.lockstep.conversion.imports;

import dev.lockstep.capture.Nullable;
import dev.lockstep.capture.Protocol;
import dev.lockstep.conversion.ConversionConfig;
import dev.lockstep.conversion.UrlParts;
import java.util.Set;
import org.immutables.value.Value;

/** What to import, from where, into what. Inputs and output are required. */
@Value.Immutable
@SuppressWarnings("immutables:subtype") // The constructor that it warns of is not used.
public abstract class ImportConfig extends ConversionConfig {
    /** On which side of Envoy a tap sat, and so whose bytes it read. */
    public enum TapSide {
        /** The side that speaks first on a connection is its client. */
        FIRST_TO_SPEAK,
        /** What Envoy read came from the client: a tap of a listener. */
        LISTENER,
        /** What Envoy wrote came from the client: a tap of a cluster. */
        CLUSTER
    }

    private static final double MAX_RATE = 1e9;

    public static Builder builder() {
        return new Builder();
    }

    /** The format of the files; null recognises it by the first file's content. */
    @Nullable
    public abstract ImportFormat format();

    /** The protocol of all connections; null recognises each connection's. */
    @Nullable
    public abstract Protocol protocol();

    /** The servers' ports whose packets are taken; empty for all. */
    public abstract Set<Integer> ports();

    /** How many requests per second are made of files without times. */
    @Value.Default
    public double rate() {
        return 100;
    }

    /** The Host of requests whose file does not say it. */
    @Value.Default
    public String host() {
        return "localhost";
    }

    @Value.Default
    public TapSide tapSide() {
        return TapSide.FIRST_TO_SPEAK;
    }

    @Value.Check
    void check() {
        checkFiles();
        if (!(rate() > 0 && rate() <= MAX_RATE)) {
            throw new IllegalArgumentException("rate must be above 0 and at most 1e9 requests/s, found " + rate());
        }
        if (!UrlParts.isHost(host())) {
            throw new IllegalArgumentException(
                    "host must be a name or address with or without a port, found '" + host() + "'");
        }
        for (int port : ports()) {
            if (port < 1 || port > 0xFFFF) {
                throw new IllegalArgumentException("ports must be from 1 to 65535, found " + port);
            }
        }
    }

    /** For one thread. {@link #build} throws IllegalArgumentException with the field, the rule and the value. */
    public static final class Builder extends ImmutableImportConfig.Builder {
        Builder() {}
    }
}
