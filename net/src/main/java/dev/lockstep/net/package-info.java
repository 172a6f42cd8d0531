/**
 * What recorder and replayer share of the network: event loops over epoll or NIO, the memory that they read into, the
 * direct way to a socket, on which processors threads run, and TLS with its PEM files. Knows Netty's transport, its TLS
 * and JNA, and nothing else of Lockstep.
 */
package dev.lockstep.net;
