/**
 * When requests are sent: recorded, constant, random, ramp and steps, each a pure function of the request's number.
 * Knows captures and paces, and nothing of connections or answers. What is public here is for the replayer only.
 */
package dev.lockstep.replayer.schedule;
