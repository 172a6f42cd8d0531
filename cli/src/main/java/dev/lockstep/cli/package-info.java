/**
 * The {@code replay} command. This package starts it, puts its subcommands together and lays out their help. A command
 * reads its options, wires the other modules, prints, and returns an {@code ExitCode}.
 *
 * <p>The packages below know each other in one direction: {@code command} and {@code terminal} know none,
 * {@code options} knows {@code command}, {@code targets} knows these; {@code captures} and {@code replay}, which hold
 * the commands, know those and not each other. None knows this package. What is public in them is for this module only.
 *
 * <p>This module is the only place that knows standard output, signals and exit codes, and where a run meets its report
 * and its exporter. Nothing depends on it.
 */
package dev.lockstep.cli;
