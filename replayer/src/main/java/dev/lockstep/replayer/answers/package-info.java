/**
 * What targets say: a reader for each protocol finds where answers end, and matches them to the requests in flight.
 * Knows its connection as {@link dev.lockstep.replayer.answers.AnsweredConnection} only, and not how requests are sent.
 * What is public here is for the replayer only.
 */
package dev.lockstep.replayer.answers;
