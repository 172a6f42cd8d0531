/**
 * JSON of values and back: which fields there are, in which order, and what is wrong in a document, in one line. Knows
 * {@code measurement} and no value of results. What is public here is for the results only.
 */
package dev.lockstep.results.json;
