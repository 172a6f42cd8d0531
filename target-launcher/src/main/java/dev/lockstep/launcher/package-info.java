/**
 * Finds JVMs, and starts, pins, caps, freezes and stops the JVM under test.
 *
 * <p>{@link dev.lockstep.launcher.JvmInventory} finds the JVMs of this machine;
 * {@link dev.lockstep.launcher.TargetSpec} is a target as the user describes it;
 * {@link dev.lockstep.launcher.TargetLauncher} turns it into a {@link dev.lockstep.launcher.TargetProcess} that answers
 * and whose JIT is proven. {@link dev.lockstep.launcher.Cores} splits the processors. Control groups exist twice, for
 * the two versions of the kernel's interface; where there are none, {@code taskset}, JVM options and SIGSTOP stand in.
 *
 * <p>This package knows the JDK, Linux and {@code target-monitor}'s log of collections. It knows nothing of the load
 * that a target gets, of results, or of commands.
 */
@ValueStyle
package dev.lockstep.launcher;
