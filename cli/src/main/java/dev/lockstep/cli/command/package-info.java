/**
 * What all commands share: what they are to picocli, their names, exit codes and failures. Knows no other package of
 * the command line.
 */
package dev.lockstep.cli.command;
