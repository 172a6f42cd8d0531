/**
 * Requests sent with changes: headers, hosts, paths, and tokens that earlier answers gave. HTTP/1 only. Knows the
 * recorded requests and no connection. {@link dev.lockstep.replayer.rewriting.Rewrites} is for callers; what else is
 * public is for the replayer only.
 */
package dev.lockstep.replayer.rewriting;
