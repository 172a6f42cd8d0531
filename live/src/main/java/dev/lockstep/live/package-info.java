/**
 * A run's page while it goes on, and the small web server behind it, for the one who started the run.
 *
 * <p>The run's events come in on the thread of a listener and change what is to be shown; the server's only thread
 * tells each page what it lacks, at most twice a second and only while its connection takes more. So a browser that
 * reads slowly, or not at all, holds up nothing and costs no memory. May know {@code run}, {@code page},
 * {@code results}, {@code measurement} and {@code analysis}, of {@code exporter} the guard of loopback addresses, and
 * Vert.x.
 */
package dev.lockstep.live;
