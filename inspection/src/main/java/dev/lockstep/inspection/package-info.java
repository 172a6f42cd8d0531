/**
 * What is in a capture: counts, names, sizes, rates, losses. {@link Inspection} reads the records once,
 * {@link InspectionReport} holds the figures, and text or JSON is written from it. Knows capture and protocol only.
 */
package dev.lockstep.inspection;
