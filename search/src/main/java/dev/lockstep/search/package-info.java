/**
 * A search as a user asks for it: read from a {@link dev.lockstep.search.SpaceFile space file}, carried out by
 * {@link dev.lockstep.search.Search} and kept in a {@link dev.lockstep.search.Journal} that outlives any kill. What
 * evaluates a configuration is an {@link dev.lockstep.search.Evaluator}, such as a program of the user's; what chooses
 * the next is an {@link dev.lockstep.search.Engine}, the tuner's own or a program. docs/tuning.md describes both, and
 * the files.
 *
 * <p>This package knows the tuner, Jackson and SnakeYAML. It knows no JVM, no capture and no run, and prints nothing.
 */
@ValueStyle
package dev.lockstep.search;
