/**
 * A tweet service and a social graph over Thrift: the kind of service that Twitter compared Graal and C2 with. Written
 * against libthrift's {@code TProtocol} by hand, as a compiler would generate it from {@code tweets.thrift}.
 *
 * <p>{@link dev.lockstep.tweets.TweetServer} serves it with libthrift's server. The Finagle service uses what is public
 * here: the seeded data, the structs, the calls; its work is its own.
 */
package dev.lockstep.tweets;
