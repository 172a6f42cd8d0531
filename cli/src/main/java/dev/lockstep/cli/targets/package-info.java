/**
 * Which targets there are: the options that name them, the file that describes them, what this installation brings
 * along, and {@code replay doctor}, which lists what this machine can start.
 */
package dev.lockstep.cli.targets;
