/**
 * The bytes of a capture on disk: the files that a writer fills, with their locks and names, and the sources from which
 * a reader takes blocks. Knows offsets and lengths, and nothing of what stands there. What is public here is for the
 * capture's packages only.
 */
package dev.lockstep.capture.files;
