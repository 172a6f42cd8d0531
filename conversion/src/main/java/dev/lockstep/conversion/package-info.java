/** Other recordings to captures, captures to other recordings, and captures to smaller ones. */
package dev.lockstep.conversion;
