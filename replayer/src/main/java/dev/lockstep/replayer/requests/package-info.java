/**
 * The recorded requests: what they say, and their bytes on the way to a socket. Knows captures and Netty's buffers.
 * {@link dev.lockstep.replayer.requests.RecordedRequests} is for callers; what else is public is for the replayer only.
 */
package dev.lockstep.replayer.requests;
