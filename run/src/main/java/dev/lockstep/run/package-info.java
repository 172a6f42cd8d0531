/**
 * The engine: carries out a plan and gives its result. It starts the targets launch by launch, loads and measures them
 * ({@link ScoredPass}, {@link LaunchRound}), and profiles them after that ({@link ProfilePass}).
 *
 * <p>This package knows captures, plans and results, the replayer, the launcher, the monitor, the profiler and the
 * analysis. It knows no terminal, no command line, no report, no signals and no exit codes, and installs nothing in the
 * process. All that a caller touches is {@link RunPlanner}, {@link RunConfig}, {@link ReplayRun}, {@link RunListener},
 * {@link Cancellation} and {@link RunOutcome}; beside these, {@link WriteGuard}, {@link RequestCensus} and
 * {@link SoakFindings} serve commands that show a run without carrying it out.
 *
 * <p>A run owns the process while it lasts: it pins all threads, so there is one at a time. What it took, it gives back
 * before it returns.
 *
 * <h2>The callers that its shape is for</h2>
 *
 * <p><b>A tuner</b>: forty runs in a day, two targets each. It opens the capture once, wants no text, and learns from
 * the result, or from why a target failed. One cancellation ends the run and the study.
 *
 * <pre>{@code
 * try (Capture capture = Capture.open(path, OpenOptions.defaults())) {
 *     JvmInventory jvms = JvmInventory.discover(graalJars);
 *     while (!study.isConverged() && !cancellation.isCancelled()) {
 *         Candidate candidate = study.ask();
 *         List<TargetSpec> targets = List.of(base, base.withName("tuned").withJvmOptions(candidate.jvmOptions()));
 *         Cores cores = Cores.plan(null, List.of(base.name(), "tuned"));
 *         RunPlan plan = new RunPlanner(capture, targets, cores).plan(load());
 *         RunConfig config = RunConfig.builder(plan, capture, targets, cores, jvms).build();
 *         try (RunDirectoryWriter directory = RunDirectoryWriter.create(study.directory(candidate), false)) {
 *             RunOutcome outcome = ReplayRun.run(config, directory, List.of(), cancellation);
 *             outcome.whyFailed("tuned").ifPresentOrElse(
 *                     why -> study.tellFailed(candidate, why), () -> study.tell(candidate, outcome.result()));
 *         } catch (TargetFailedException e) {
 *             study.tellFailed(candidate, e.getMessage());
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>A target that dies is data, and from the second launch on so is every failure to start. In the first launch a
 * target that does not get ready, and whose exit is not known, ends the run with a {@code TargetFailedException}: it is
 * not ready in time, has another JIT or other processors than were asked for, or cannot be started at all. The message
 * names the target. A tuner catches it as the candidate's failure. {@code RunConfig.Builder.build} throws the same
 * where this machine lacks a JVM: no candidate for that profile will start.
 *
 * <p><b>A page and a terminal at the same time</b>. Each has a thread of its own, so a browser that stops reading holds
 * up neither the measurement nor the terminal; see {@link RunListener} for what a slow one misses.
 *
 * <pre>{@code
 * List<RunListener> listeners = List.of(new RunPrinter(...), new LivePage(socket));
 * RunOutcome outcome = ReplayRun.run(config, directory, listeners, cancellation);
 * outcome.listenerFailures().forEach(...);
 * }</pre>
 *
 * <p><b>An agent on another machine</b> that carries a share of the load. The share comes as a plan of its own, with
 * fewer connections and a lower rate; capture, keys and commands are the agent's own. It sends back the run directory,
 * whose histograms its leader adds up (nothing here does yet). The connection to the leader is a listener, and its loss
 * a cancellation.
 *
 * <pre>{@code
 * RunPlan share = RunPlan.fromJson(leader.receive());
 * RunConfig config = RunConfig.builder(share, capture, targets, cores, jvms).build();
 * leader.onLost(cancellation::cancel);
 * try (RunDirectoryWriter directory = RunDirectoryWriter.create(folder, true)) {
 *     ReplayRun.run(config, directory, List.of(new ToLeader(leader)), cancellation);
 * }
 * leader.send(folder);
 * }</pre>
 */
@ValueStyle
package dev.lockstep.run;

import dev.lockstep.measurement.ValueStyle;
