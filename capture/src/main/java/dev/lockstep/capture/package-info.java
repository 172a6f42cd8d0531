/**
 * The capture file: write it, append to it, read it, verify it. {@code docs/capture-format.md} is its specification.
 *
 * <p>This package is the face of the module: {@link dev.lockstep.capture.CaptureWriter} takes records from any thread,
 * {@link dev.lockstep.capture.CaptureReader} gives record after record, {@link dev.lockstep.capture.Capture} is an
 * opened capture whose requests can be replayed. Other modules use this package alone. What is package-private here
 * stands behind {@code Capture}: {@code CaptureScan} fills its tables of requests and connections, which
 * {@code FlatMemory} keeps outside the heap; {@code CaptureMemory} is where the requests' bytes lie.
 *
 * <p>The packages below know each other in one direction: {@code format} has the numbers and {@code files} the bytes on
 * disk, and they know none; {@code segments}, which writes and reads blocks of records, knows both. Of this package
 * they see the options, the exception, and the words of the API (enums, keys, totals) alone. The module knows the JDK,
 * Zstandard, and nothing of sockets, of protocols beyond their names, or of other Lockstep modules.
 */
@ValueStyle
package dev.lockstep.capture;
