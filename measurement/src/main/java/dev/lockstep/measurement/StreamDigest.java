package dev.lockstep.measurement;

/** SHA-256 over the request bytes handed to a target's sockets in capture order, or why there is none. Immutable. */
public final class StreamDigest {
    private final String sha256;
    private final String absentReason;

    private StreamDigest(String sha256, String absentReason) {
        this.sha256 = sha256;
        this.absentReason = absentReason;
    }

    /** Returns a digest, given in lower-case hexadecimal. */
    public static StreamDigest of(String sha256) {
        return new StreamDigest(sha256, null);
    }

    /** Returns "there is none", with the reason for people. */
    public static StreamDigest absent(String reason) {
        return new StreamDigest(null, reason);
    }

    /** Returns the digest in lower-case hexadecimal, or null where there is none. */
    public String sha256() {
        return sha256;
    }

    /** Returns why there is no digest, or null where there is one. */
    public String absentReason() {
        return absentReason;
    }
}
