/**
 * The tweet service on Finagle 22.7, the library of the published experiments: Futures, Scala's collections, TTwitter
 * and ThriftMux; and a Finagle client that calls it, so that captures come from a real one. Data, structs and calls are
 * those of {@code dev.lockstep.tweets}, and so are the answers, byte for byte.
 */
package dev.lockstep.finagle;
