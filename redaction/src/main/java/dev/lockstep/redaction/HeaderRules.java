package dev.lockstep.redaction;

/** What a header's name says of its value: bits of a {@link NameSet}. */
final class HeaderRules {
    /** The whole value is a secret. */
    static final long SECRET = 1;

    /** The value is a scheme and credentials, or only those. */
    static final long CREDENTIALS = 1 << 1;

    /** The values of cookies as a client sends them. */
    static final long COOKIE = 1 << 2;

    /** The value of the one cookie that a server sets. */
    static final long SET_COOKIE = 1 << 3;

    /** The value is an address, of which the query's rules hold. */
    static final long ADDRESS = 1 << 4;

    /** The value is a list of protocols for a WebSocket, in which clients without other headers put a token. */
    static final long PROTOCOLS = 1 << 5;

    /** All that a value scanner looks into. */
    static final long SEARCHED = SECRET | CREDENTIALS | COOKIE | SET_COOKIE | ADDRESS | PROTOCOLS;

    static final long CONTENT_TYPE = 1 << 8;
    static final long CONTENT_ENCODING = 1 << 9;
    static final long TRANSFER_ENCODING = 1 << 10;
    static final long METHOD = 1 << 11;

    private HeaderRules() {}
}
