/**
 * The built tool, run as a user would: record, replay and report as processes, with real JVMs over loopback. Knows
 * Lockstep by its command line and its files only, but for the reader of captures.
 */
package dev.lockstep.systemtests;
