package dev.lockstep.measurement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Which capture a run replays, so that two runs can be told to have had the same requests. Immutable. */
public final class CaptureReference {
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    private final String path;
    private final String sha256;
    private final String streamSha256;
    private final long requests;
    private final OptionalLong requestBytes;
    private final OptionalInt connections;
    private final OptionalLong durationNs;

    private CaptureReference(Builder builder) {
        this.path = builder.path;
        this.sha256 = builder.sha256;
        this.streamSha256 = builder.streamSha256;
        this.requests = builder.requests;
        this.requestBytes = builder.requestBytes;
        this.connections = builder.connections;
        this.durationNs = builder.durationNs;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns the path as the user gave it. */
    public String path() {
        return path;
    }

    /** Returns the SHA-256 of the file, in lower-case hexadecimal. */
    public String sha256() {
        return sha256;
    }

    /** Returns the SHA-256 of the bytes of all requests in capture order, in lower-case hexadecimal. */
    public String streamSha256() {
        return streamSha256;
    }

    /** Returns how many complete requests one pass over the capture has. */
    public long requests() {
        return requests;
    }

    /** Returns how many bytes these requests have. */
    public OptionalLong requestBytes() {
        return requestBytes;
    }

    /** Returns how many client connections were recorded. */
    public OptionalInt connections() {
        return connections;
    }

    /** Returns the time from the first request to the last as recorded. */
    public OptionalLong durationNs() {
        return durationNs;
    }

    /** Says whether the other names the same file contents, wherever the file lies. */
    boolean sameContents(CaptureReference other) {
        return sha256.equals(other.sha256) && streamSha256.equals(other.streamSha256) && requests == other.requests;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonFields.object();
        json.put("path", path);
        json.put("sha256", sha256);
        json.put("requests", requests);
        json.put("streamSha256", streamSha256);
        JsonFields.put(json, "requestBytes", requestBytes);
        JsonFields.put(json, "connections", connections);
        JsonFields.put(json, "durationNs", durationNs);
        return json;
    }

    static CaptureReference fromJson(JsonFields json) {
        Builder builder = builder()
                .path(json.text("path"))
                .sha256(json.text("sha256"))
                .requests(json.number("requests"))
                .streamSha256(json.text("streamSha256"));
        builder.requestBytes = json.numberOrAbsent("requestBytes");
        builder.connections = json.smallNumberOrAbsent("connections");
        builder.durationNs = json.numberOrAbsent("durationNs");
        return json.check(builder::build);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CaptureReference && toJson().equals(((CaptureReference) other).toJson());
    }

    @Override
    public int hashCode() {
        return sha256.hashCode();
    }

    @Override
    public String toString() {
        return path;
    }

    /** Collects the fields; {@link #build} checks them. */
    public static final class Builder {
        private String path;
        private String sha256;
        private String streamSha256;
        private long requests;
        private OptionalLong requestBytes = OptionalLong.empty();
        private OptionalInt connections = OptionalInt.empty();
        private OptionalLong durationNs = OptionalLong.empty();

        private Builder() {}

        public Builder path(String path) {
            this.path = path;
            return this;
        }

        public Builder sha256(String sha256) {
            this.sha256 = sha256;
            return this;
        }

        public Builder streamSha256(String streamSha256) {
            this.streamSha256 = streamSha256;
            return this;
        }

        public Builder requests(long requests) {
            this.requests = requests;
            return this;
        }

        public Builder requestBytes(long requestBytes) {
            this.requestBytes = OptionalLong.of(requestBytes);
            return this;
        }

        public Builder connections(int connections) {
            this.connections = OptionalInt.of(connections);
            return this;
        }

        public Builder durationNs(long durationNs) {
            this.durationNs = OptionalLong.of(durationNs);
            return this;
        }

        /** Throws IllegalArgumentException with the field, the rule and the value. */
        public CaptureReference build() {
            if (Objects.requireNonNullElse(path, "").isEmpty()) {
                throw new IllegalArgumentException("capture path must not be empty");
            }
            requireDigest("capture sha256", sha256);
            requireDigest("capture streamSha256", streamSha256);
            Rules.atLeast("capture requests", 0, requests);
            requestBytes.ifPresent(bytes -> Rules.atLeast("capture requestBytes", 0, bytes));
            connections.ifPresent(count -> Rules.atLeast("capture connections", 0, count));
            durationNs.ifPresent(ns -> Rules.atLeast("capture durationNs", 0, ns));
            return new CaptureReference(this);
        }

        private static void requireDigest(String field, String digest) {
            if (digest == null || !SHA256.matcher(digest).matches()) {
                throw new IllegalArgumentException(
                        field + " must be 64 digits of lower-case hexadecimal, is " + Rules.quote(digest));
            }
        }
    }
}
