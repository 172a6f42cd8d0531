/**
 * Every parser of strangers' bytes under a coverage-guided fuzzer: {@link dev.lockstep.fuzzing.FuzzTargets} lists them,
 * {@link dev.lockstep.fuzzing.FuzzTest} runs the kept corpus and, when asked, the fuzzer. Knows those parsers only.
 */
package dev.lockstep.fuzzing;
