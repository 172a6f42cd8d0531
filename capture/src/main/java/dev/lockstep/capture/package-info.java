/**
 * The capture file: write it, append to it, read it, verify it. {@code docs/capture-format.md} is its specification.
 *
 * <p>This package knows the JDK, Zstandard, and nothing of sockets, of protocols beyond their names, or of other
 * Lockstep modules. It stays one flat package, so that all but the classes for other modules are package-private. By
 * subject:
 *
 * <ul>
 *   <li><b>The format</b>: {@code CaptureFormat} has every offset and number; {@code CaptureIdentity} and
 *       {@code CaptureSummary} are the halves of the header page; {@code BlockEncoder} and {@code BlockDecoder}
 *       compress and encrypt.
 *   <li><b>Writing</b>: {@link dev.lockstep.capture.CaptureWriter} takes records from any thread;
 *       {@code RecordAppender}, its lock, puts them into {@code Block}s; {@code WriterThread} writes these to a
 *       {@code BlockFile}. {@code AppendPoint} is the end of a capture that a writer goes on with.
 *   <li><b>Reading</b>: {@link dev.lockstep.capture.CaptureReader} gives record after record. {@code RecordCursor}
 *       walks the segments, {@code SegmentCursor} the blocks of one, {@code BlockRecords} the records of one;
 *       {@code SegmentConnections} checks that each record fits its connection.
 *   <li><b>An opened capture</b>: {@link dev.lockstep.capture.Capture} has tables of requests and connections outside
 *       the heap, which {@code CaptureScan} fills.
 * </ul>
 */
@ValueStyle
package dev.lockstep.capture;
