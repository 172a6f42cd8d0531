/**
 * A run directory, or several, becomes one page that people hand around: no network, no files beside it, light and
 * dark. The words are those of {@code report}, the figures those of {@code run.json} and {@code intervals.jsonl}; the
 * plots are drawn in the browser by uPlot, and flame graphs are laid out by d3-hierarchy. A capture becomes one too, of
 * what {@code inspection} found in it. The page of a run that goes on is drawn by the same script, {@code plots.js};
 * {@code live} serves it and tells it what the run does. May know results, analysis, report and inspection; knows no
 * command line.
 */
package dev.lockstep.page;
