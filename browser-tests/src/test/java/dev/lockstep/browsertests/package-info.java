/**
 * The tool's web pages in a browser: {@link dev.lockstep.browsertests.TestingBrowser} starts it,
 * {@link dev.lockstep.browsertests.BrowserTab} shows pages that are files and those of a server. The tests themselves
 * are in the packages of the pages, whose own tests make what they show: {@code dev.lockstep.page} and
 * {@code dev.lockstep.live}.
 */
package dev.lockstep.browsertests;
