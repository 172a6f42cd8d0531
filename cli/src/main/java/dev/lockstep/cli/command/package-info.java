/**
 * What all commands share: what they are to picocli, their names, exit codes and failures, and the files they write for
 * people. Knows no other package of the command line.
 */
package dev.lockstep.cli.command;
