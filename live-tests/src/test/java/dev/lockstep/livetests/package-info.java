/**
 * Clients and servers of Thrift's own libraries, in Java and Python, in every combination of protocol and transport:
 * recorded through a relay, compared with what they sent, and replayed. Knows recorder, replayer and libthrift.
 */
package dev.lockstep.livetests;
