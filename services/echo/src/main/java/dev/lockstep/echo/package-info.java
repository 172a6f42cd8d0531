/**
 * Echo servers on Netty 3.10, 4.1 and 4.2 with the same handler, after the experiment of "Netty 4 at Twitter: Reduced
 * GC Overhead" (2013); the capture that they get; and the time that Netty's allocators take for one buffer.
 */
package dev.lockstep.echo;
