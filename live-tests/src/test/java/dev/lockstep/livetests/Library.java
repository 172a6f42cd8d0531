package dev.lockstep.livetests;

/** Whose Thrift it is. */
enum Library {
    /** libthrift. */
    JAVA,
    /** Apache's for Python. */
    PYTHON,
    /** thriftpy2. */
    THRIFTPY2;

    boolean has(Transport transport, MessageProtocol protocol) {
        if (transport.hasHeader()) {
            return this == PYTHON && (protocol == MessageProtocol.BINARY || protocol == MessageProtocol.COMPACT);
        }
        if (transport == Transport.ZLIB && this == THRIFTPY2) {
            return false;
        }
        return protocol != MessageProtocol.OWN_JSON || this == THRIFTPY2;
    }

    /** Like {@link #has}, but for a server. */
    boolean serves(Transport transport, MessageProtocol protocol) {
        // thriftpy2's server answers the first JSON message of a connection again and again.
        boolean loops = this == THRIFTPY2 && protocol == MessageProtocol.JSON && transport != Transport.HTTP;
        return has(transport, protocol) && !loops;
    }
}
