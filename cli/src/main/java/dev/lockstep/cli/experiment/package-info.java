/** The command {@code experiment}: published experiments, part by part, and their figures beside the published ones. */
package dev.lockstep.cli.experiment;
