/**
 * The engine: carries out a plan and gives its result. It starts the targets launch by launch, loads and measures them
 * ({@link ScoredPass}, {@link LaunchRound}), and profiles them after that ({@link ProfilePass}).
 *
 * <p>This package knows captures, plans and results, the replayer, the launcher, the monitor, the profiler and the
 * analysis. It knows no terminal, no command line, no report, no signals and no exit codes, and installs nothing in the
 * process. A caller carries a run out with {@link RunPlanner}, {@link RunConfig}, {@link ReplayRun},
 * {@link Cancellation} and {@link RunOutcome}, and watches it with a {@link RunListener}, each of which has a thread of
 * its own; {@link WriteGuard}, {@link RequestCensus} and {@link SoakFindings} serve commands that show a run without
 * carrying it out.
 *
 * <p>A run owns the process while it lasts: it pins all threads, so there is one at a time. What it took, it gives back
 * before it returns.
 *
 * <p>A target that dies is data, and from the second launch on so is every failure to start. In the first launch a
 * target that does not get ready, and whose exit is not known, ends the run with a {@code TargetFailedException}: it is
 * not ready in time, has another JIT or other processors than were asked for, or cannot be started at all. The message
 * names the target. A tuner catches it as the candidate's failure. {@code RunConfig.Builder.build} throws the same
 * where this machine lacks a JVM: no candidate for that profile will start.
 */
@ValueStyle
package dev.lockstep.run;

import dev.lockstep.measurement.ValueStyle;
