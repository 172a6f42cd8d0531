package dev.lockstep.experiment;

import java.util.List;

/** A chart of an experiment's page: a figure of parts against a variable, a line for each value of another. */
final class Chart {
    String title;
    /** The variable along the axis: its values are amounts, such as {@code 128m}. */
    String x;

    String xLabel;
    /** The variables of which each combination is a line. */
    List<String> lines;

    FigureTemplate figure;
    String caption;
    /** Whether the axis is logarithmic. */
    boolean log;
}
