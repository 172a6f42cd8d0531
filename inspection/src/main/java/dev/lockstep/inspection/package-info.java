/**
 * What is in a capture: counts, names, sizes, rates, losses. {@link Inspection} reads the records once,
 * {@link InspectionReport} holds the figures, and text or JSON is written from it. Knows capture and protocol, and
 * writes amounts as measurement does.
 */
package dev.lockstep.inspection;
