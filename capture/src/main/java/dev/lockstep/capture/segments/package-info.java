/**
 * The segments of a capture, written and read: what turns records into blocks of a file, and blocks back into records.
 * Knows {@code format} and {@code files}; of the first package it knows the options, the exception and the words of the
 * API, and no reader, writer or opened capture. What is public here is for the capture's packages only. By subject:
 *
 * <ul>
 *   <li><b>Writing</b>: {@code RecordAppender}, the writer's lock, puts records into {@code Block}s of a
 *       {@code BlockQueue}; {@code WriterThread} writes these to a {@code BlockFile}, with an {@code IndexBlock} now
 *       and then. {@code SegmentRotation} says when another segment begins, {@code SegmentFiles} creates its file,
 *       {@code SegmentFinisher} completes the one before. {@code Tally} counts what was taken and lost.
 *   <li><b>Reading</b>: {@code RecordCursor} walks the segments, {@code SegmentCursor} the blocks of one,
 *       {@code BlockRecords} the records of one; {@code SegmentConnections} checks that each record fits its
 *       connection, {@code IndexChain} that each index fits the blocks. {@code CaptureCounts} is what they met.
 *   <li><b>Both</b>: {@code BlockEncoder} and {@code BlockDecoder} compress and encrypt; {@code CaptureSummary} is the
 *       half of the header page that says how a recording ended. {@code AppendPoint} is the end of a capture, as a
 *       reader finds it and a writer goes on with it; for its sake the two share a package.
 * </ul>
 */
package dev.lockstep.capture.segments;
