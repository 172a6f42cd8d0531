/**
 * {@code replay} itself, with a class for each group of its options, and the commands that print, compare or recover
 * what it writes: {@code replay report}, {@code compare} and {@code recover}.
 */
package dev.lockstep.cli.replay;
