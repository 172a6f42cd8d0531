/**
 * In which methods a target's CPU time goes, for a pass of its own after the measured ones.
 *
 * <p>{@link dev.lockstep.profiler.Profiler} unpacks async-profiler; a {@link dev.lockstep.profiler.SampleRecording}
 * makes a JVM record itself and reads the file afterwards into a {@link dev.lockstep.profiler.StackProfile}. From
 * profiles come flame graphs, collapsed stacks and {@link dev.lockstep.profiler.SideBySide the table} of the hottest
 * methods.
 *
 * <p>This package knows the types of results that it fills, and async-profiler. It starts no target and sends no load.
 */
package dev.lockstep.profiler;
