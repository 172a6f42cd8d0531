/**
 * The commands that make captures, change them and look into them, with their options: {@code replay record},
 * {@code import}, {@code export}, {@code filter}, {@code inspect} and {@code verify}.
 */
package dev.lockstep.cli.captures;
