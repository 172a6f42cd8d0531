/**
 * Published experiments: what each asks, the parts it is made of, and its figures beside the published ones. A part is
 * a command of Lockstep's own command line; whoever calls carries it out ({@link PartRunner}), and this package knows
 * which parts are due, which are done, and what their run directories say.
 */
package dev.lockstep.experiment;
