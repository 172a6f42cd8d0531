/** The command that searches for better parameters: what it is asked for, the search with real JVMs, and its screen. */
package dev.lockstep.cli.tune;
