/** What is in a capture: counts, names, sizes, rates, losses. */
package dev.lockstep.inspection;
