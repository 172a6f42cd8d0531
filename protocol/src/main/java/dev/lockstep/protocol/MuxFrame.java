package dev.lockstep.protocol;

/**
 * The frame of mux, the session protocol of Twitter's Finagle (finagle-mux, {@code Message.scala}).
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  | length of what follows            |
 *  +--------+--------+--------+--------+
 *  | type   |F tag, 23 bits            |   F: a fragment, more of the message follows
 *  +--------+--------+--------+--------+
 *  | body, by type ...
 * </pre>
 */
final class MuxFrame {
    static final byte T_REQUEST = 1;
    static final byte T_DISPATCH = 2;
    static final byte T_PING = 65;
    static final byte T_INIT = 68;
    static final byte R_ERR = 127;

    private MuxFrame() {}
}
