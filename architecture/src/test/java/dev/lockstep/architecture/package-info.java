/**
 * The module map as a test: {@link dev.lockstep.architecture.ModuleMapTest} checks the table in docs/overview.md
 * against the compiled classes. Sees the classes of all modules, and uses none of them.
 */
package dev.lockstep.architecture;
