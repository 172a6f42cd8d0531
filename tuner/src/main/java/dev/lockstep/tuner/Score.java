package dev.lockstep.tuner;

import java.util.Arrays;
import java.util.List;

/** What is wanted of a point. */
interface Score {
    /**
     * Returns the score of a point; more is better.
     *
     * @param gradient takes the derivatives by the places on scales; null where nobody wants them
     */
    double at(double[] point, double[] gradient);

    /** Returns the log of the mean of what the given scores are the logs of. */
    static Score logMean(List<? extends Score> scores) {
        return scores.size() == 1 ? scores.get(0) : (point, gradient) -> logMean(scores, point, gradient);
    }

    private static double logMean(List<? extends Score> scores, double[] point, double[] gradient) {
        double[] logs = new double[scores.size()];
        double[][] gradients = new double[logs.length][];
        for (int i = 0; i < logs.length; i++) {
            gradients[i] = gradient == null ? null : new double[gradient.length];
            logs[i] = scores.get(i).at(point, gradients[i]);
        }
        double most = Arrays.stream(logs).max().orElse(0);
        double sum = Arrays.stream(logs).map(log -> Math.exp(log - most)).sum();
        for (int k = 0; gradient != null && k < gradient.length; k++) {
            gradient[k] = 0;
            for (int i = 0; i < logs.length; i++) {
                gradient[k] += Math.exp(logs[i] - most) / sum * gradients[i][k];
            }
        }
        return most + Math.log(sum / logs.length);
    }
}
