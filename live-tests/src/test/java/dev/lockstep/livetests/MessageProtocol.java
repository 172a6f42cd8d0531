package dev.lockstep.livetests;

/** How a Thrift message is written. */
enum MessageProtocol {
    BINARY,
    /** Binary without a version. */
    OLD_BINARY,
    COMPACT,
    JSON,
    /** thriftpy2's own JSON, which no other library has. */
    OWN_JSON
}
