package dev.lockstep.recorder;

/** Which PROXY protocol header the upstream gets, with the client's address, before the client's first byte. */
public enum ProxyHeaderOut {
    /** None. */
    NONE,
    /** Version 1: a line of text. */
    V1,
    /** Version 2: binary. */
    V2
}
