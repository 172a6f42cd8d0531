/**
 * The run directory: {@link dev.lockstep.results.directory.RunDirectoryWriter} writes it while a run goes on and
 * recovers that of a run that was killed, {@link dev.lockstep.results.directory.RunDirectoryReader} reads it back.
 * Holds the names of its files, its lock, and the interval files, which grow.
 */
package dev.lockstep.results.directory;
