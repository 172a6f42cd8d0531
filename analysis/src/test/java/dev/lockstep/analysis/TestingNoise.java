package dev.lockstep.analysis;

import java.util.Random;

/** Random numbers for simulated launches and soaks, from a seed that is printed when a test fails. */
final class TestingNoise {
    static final long SEED = 5;

    private final Random random;

    TestingNoise(long seed) {
        random = new Random(seed);
    }

    double normal(double deviation) {
        return deviation * random.nextGaussian();
    }

    /**
     * Student's t with three degrees of freedom, scaled to the standard deviation: a launch now and then is far off.
     */
    double heavyTailed(double deviation) {
        double squares = 0;
        for (int i = 0; i < 3; i++) {
            double normal = random.nextGaussian();
            squares += normal * normal;
        }
        return deviation / Math.sqrt(3) * random.nextGaussian() / Math.sqrt(squares / 3);
    }

    double uniform(double low, double high) {
        return low + (high - low) * random.nextDouble();
    }

    /** Returns a value of mean 1, exponentially distributed. */
    double exponential() {
        return -Math.log1p(-random.nextDouble());
    }

    /** Returns how many of events that each come by themselves came where this many are expected. */
    int poisson(double mean) {
        int events = -1;
        for (double waited = 0; waited <= mean; waited += exponential()) {
            events++;
        }
        return events;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** Returns noise of which each value keeps a share of the one before it. */
    double[] autocorrelated(int length, double share, double deviation) {
        double[] values = new double[length];
        double value = normal(deviation);
        for (int i = 0; i < length; i++) {
            values[i] = value;
            value = share * value + normal(deviation * Math.sqrt(1 - share * share));
        }
        return values;
    }
}
