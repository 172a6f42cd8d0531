package dev.lockstep.recorder;

/** Whether clients' connections begin with a PROXY protocol header, version 1 or 2, which names the true client. */
public enum ProxyHeaderIn {
    /** They do not: the first byte is the client's own. */
    NONE,
    /** They may: what begins like a header is one. Only for listeners that nobody but a proxy can reach. */
    AUTO,
    /** They do: a connection without one is reset and counted. */
    REQUIRED
}
