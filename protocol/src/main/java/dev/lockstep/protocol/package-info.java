/**
 * What a connection speaks, and where its requests and answers begin and end: HTTP/1, HTTP/2, Thrift in its forms, and
 * mux. {@link dev.lockstep.protocol.ConnectionFramer} reads what a client sends; the answer framers read what a target
 * answers; {@link dev.lockstep.protocol.RequestFacts} says what a request says of itself. Nothing here builds messages
 * or keeps bytes.
 *
 * <p>Each grammar is walked once: HTTP/1's fields by {@link dev.lockstep.protocol.HttpFieldReader}, its chunk lines by
 * {@link dev.lockstep.protocol.HttpChunkLine}, Thrift's structs by {@link dev.lockstep.protocol.ThriftStructReader}.
 * Framing, facts and redaction listen to these. They may be fed bytes cut anywhere.
 *
 * <p>Knows Netty's buffers and its HTTP/2 decoder, and of capture only the enum of protocols.
 */
package dev.lockstep.protocol;
