/**
 * A Vert.x service to aim at: users in memory or Redis, requests that compute or allocate, a TCP echo, and differences
 * made on purpose (extra CPU time, a leak). Equal requests get equal bytes in every process, so that answers can be
 * compared.
 *
 * <p>Knows nothing else of Lockstep, and nothing compiles against it: it is started as a process.
 */
package dev.lockstep.app;
