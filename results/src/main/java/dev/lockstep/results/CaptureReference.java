package dev.lockstep.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.lockstep.measurement.Rules;
import dev.lockstep.results.json.Json;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.immutables.value.Value;

/** Which capture a run replays, so that two runs can be told to have had the same requests. */
@Value.Immutable
@JsonDeserialize(builder = CaptureReference.Builder.class)
public abstract class CaptureReference {
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    public static Builder builder() {
        return new Builder();
    }

    /** As the user gave it. */
    @JsonProperty(required = true)
    @Value.Default
    public String path() {
        return "";
    }

    /** Of the file, in lower-case hexadecimal. */
    @Nullable
    @JsonProperty(required = true)
    public abstract String sha256();

    /** How many complete requests one pass over the capture has. */
    @JsonProperty(required = true)
    @Value.Default
    public long requests() {
        return 0;
    }

    /** Of the bytes of all requests in capture order, in lower-case hexadecimal. */
    @Nullable
    @JsonProperty(required = true)
    public abstract String streamSha256();

    /** How many bytes these requests have. */
    public abstract OptionalLong requestBytes();

    /** How many client connections were recorded. */
    public abstract OptionalInt connections();

    /** From the first request to the last as recorded. */
    public abstract OptionalLong durationNs();

    /** How often the recorded server answered with which status code of HTTP, as far as the capture says it. */
    @JsonInclude(Include.NON_EMPTY)
    public abstract Map<Integer, Long> statusCodes();

    @Value.Check
    void check() {
        if (path().isEmpty()) {
            throw new IllegalArgumentException("capture path must not be empty");
        }
        requireDigest("capture sha256", sha256());
        requireDigest("capture streamSha256", streamSha256());
        Rules.atLeast("capture requests", 0, requests());
        requestBytes().ifPresent(bytes -> Rules.atLeast("capture requestBytes", 0, bytes));
        connections().ifPresent(count -> Rules.atLeast("capture connections", 0, count));
        durationNs().ifPresent(ns -> Rules.atLeast("capture durationNs", 0, ns));
        statusCodes().forEach((code, count) -> {
            Rules.atLeast("capture statusCodes", 100, code);
            Rules.atLeast("capture statusCodes of " + code, 1, count);
        });
    }

    private static void requireDigest(String field, String digest) {
        if (digest == null || !SHA256.matcher(digest).matches()) {
            throw new IllegalArgumentException(
                    field + " must be 64 digits of lower-case hexadecimal, is " + Rules.quote(digest));
        }
    }

    @Override
    public String toString() {
        return path();
    }

    /** {@link #build} throws IllegalArgumentException with the field, the rule and the value. */
    public static final class Builder extends ImmutableCaptureReference.Builder implements Json.Strict {
        Builder() {}
    }
}
