/**
 * The format in code: every offset and number of {@code docs/capture-format.md}, the half of the header page that never
 * changes, and what is said of a file that is no capture. Knows no other package but the first one's options and
 * exception. What is public here is for the capture's packages only.
 */
package dev.lockstep.capture.format;
