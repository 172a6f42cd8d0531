/**
 * The {@code replay} command: a class for each subcommand, one for each group of options, and how a run is shown on a
 * terminal. A command reads its options, wires the other modules, prints, and returns an {@link ExitCode}.
 *
 * <p>This is the only place that knows standard output, signals and exit codes, and where a run meets its report and
 * its exporter. Nothing depends on it.
 */
package dev.lockstep.cli;
