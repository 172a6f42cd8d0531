/**
 * What is measured while a run goes on: of the load, of outages, of the skew between targets, and of the replayer's own
 * doing. Knows no connection and no protocol. What is public here is for the replayer only.
 */
package dev.lockstep.replayer.meters;
