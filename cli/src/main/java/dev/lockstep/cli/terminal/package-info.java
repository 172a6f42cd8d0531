/**
 * What people see while a command runs, and the signals with which they end it: lines that cannot command a terminal,
 * progress, a run as it goes on. Knows no command and no option.
 */
package dev.lockstep.cli.terminal;
