/**
 * Sends requests on schedule and follows them to their answers: event loops, a worker for each target, its connections
 * and what decides which connection sends what. Knows every other package of the replayer. What is public here is for
 * the replayer only.
 */
package dev.lockstep.replayer.engine;
