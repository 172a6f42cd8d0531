/**
 * What the options of several commands share: converters of their values, the key of a capture, headings in the help.
 * Knows no command.
 */
package dev.lockstep.cli.options;
