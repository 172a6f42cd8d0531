/**
 * What is measured while requests are sent: counts, histograms of times, intervals of a second, and what a target
 * costs.
 *
 * <p>The recording classes run per request on an event loop and allocate nothing there. The values are generated from
 * abstract classes by Immutables and carry Jackson's annotations, but no JSON is read or written here: {@code results}
 * does. May know HdrHistogram; knows nothing of captures, sockets, plans or files.
 */
@ValueStyle
package dev.lockstep.measurement;
