/**
 * {@code replay} itself, with a class for each group of its options, and the commands that print or recover what it
 * writes: {@code replay report} and {@code recover}.
 */
package dev.lockstep.cli.replay;
