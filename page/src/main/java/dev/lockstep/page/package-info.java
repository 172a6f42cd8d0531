/**
 * A run directory, or several, becomes one page that people hand around: no network, no files beside it, light and
 * dark. The words are those of {@code report}, the figures those of {@code run.json} and {@code intervals.jsonl}; the
 * plots are drawn in the browser by uPlot. May know results, analysis and report; knows no command line.
 */
package dev.lockstep.page;
