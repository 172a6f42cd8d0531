package dev.lockstep.livetests;

/** How Thrift's messages go over a connection. */
enum Transport {
    UNFRAMED,
    FRAMED,
    /** The whole stream compressed. */
    ZLIB,
    HTTP,
    HEADER,
    /** THeader with each payload compressed. */
    HEADER_ZLIB,
    /** THeader's frames, each in a frame. */
    HEADER_IN_FRAME;

    boolean hasHeader() {
        return name().startsWith("HEADER");
    }
}
