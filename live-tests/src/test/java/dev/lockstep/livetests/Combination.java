package dev.lockstep.livetests;

/** One kind of server or client. */
final class Combination {
    final Library library;
    final Transport transport;
    final MessageProtocol protocol;
    final boolean multiplexed;

    Combination(Library library, Transport transport, MessageProtocol protocol, boolean multiplexed) {
        this.library = library;
        this.transport = transport;
        this.protocol = protocol;
        this.multiplexed = multiplexed;
    }

    /**
     * Tells whether each call is made on a connection of its own: thriftpy2's client reads one JSON answer from each.
     */
    boolean reconnects() {
        return library == Library.THRIFTPY2 && protocol == MessageProtocol.JSON;
    }

    @Override
    public String toString() {
        return library + " " + transport + " " + protocol + " " + multiplexed;
    }
}
