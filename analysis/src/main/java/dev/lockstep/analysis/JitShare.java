package dev.lockstep.analysis;

import dev.lockstep.measurement.Cost;
import dev.lockstep.measurement.Costs;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.function.ToDoubleBiFunction;

/** How much of a launch's CPU the JIT takes, in each window of some seconds. */
final class JitShare {
    /** Of minutes, in which one method compiled late is little. */
    private static final double LOW_FOR_MINUTES = 0.05;

    private final int window;
    /** Sums up to each second. */
    private final double[] all;

    private final double[] jit;

    /**
     * @param allCpu the CPU of each second, of any unit
     * @param jitCpu that of the JIT, in the same unit; NaN in a second in which one of the two is not known
     * @param window how many seconds
     */
    JitShare(double[] allCpu, double[] jitCpu, int window) {
        this.window = window;
        all = new double[allCpu.length + 1];
        jit = new double[allCpu.length + 1];
        for (int i = 0; i < allCpu.length; i++) {
            boolean known = !Double.isNaN(allCpu[i]) && !Double.isNaN(jitCpu[i]);
            all[i + 1] = all[i] + (known ? allCpu[i] : 0);
            jit[i + 1] = jit[i] + (known ? jitCpu[i] : 0);
        }
    }

    /** Returns the CPU of all threads in ns; absent where the threads are not known apart. */
    static OptionalLong allNs(Costs costs) {
        OptionalLong application = costs.get(Cost.APPLICATION_CPU);
        return application.isPresent()
                ? OptionalLong.of(application.getAsLong()
                        + costs.get(Cost.JIT_CPU).orElse(0)
                        + costs.get(Cost.GC_CPU).orElse(0))
                : application;
    }

    /** Tells whether such a share says that the JIT has done its work. */
    static boolean isLow(double jitCpu, double allCpu) {
        return jitCpu <= LOW_FOR_MINUTES * allCpu;
    }

    /** Returns the share of the last window; NaN where nobody knows. */
    double last() {
        return share(all.length - 1 - window, all.length - 1);
    }

    /**
     * Returns by how much it would fall if it went on falling as it did from some seconds to as many that are the last,
     * but no further than to 0; 0 where there are fewer seconds. From median to median, since a method that is compiled
     * late is soon done.
     */
    double falls(int seconds) {
        int end = all.length - 1 - seconds;
        if (end < seconds) {
            return 0;
        }
        double now = median(end, end + seconds);
        double falls = Math.min(now, median(end - seconds, end) - now);
        return Double.isNaN(falls) ? 0 : Math.max(0, falls);
    }

    private double median(int begin, int end) {
        double[] shares = new double[end - begin];
        Arrays.setAll(shares, i -> share(begin + i, begin + i + 1));
        return Sample.median(shares);
    }

    /** Returns from which second on no window has more than this share. */
    int lowFrom(double most) {
        return lowFrom(most, this::share);
    }

    /** Returns from which second on no window has more than this share in half of its seconds. */
    int mostlyLowFrom(double most) {
        return lowFrom(most, this::median);
    }

    /** @param figure of a window, from where it begins to where it ends */
    private int lowFrom(double most, ToDoubleBiFunction<Integer, Integer> figure) {
        int from = all.length - 1 - window;
        while (from > 0 && !(figure.applyAsDouble(from - 1, from - 1 + window) > most)) {
            from--;
        }
        return Math.max(0, from);
    }

    private double share(int begin, int end) {
        int first = Math.max(0, begin);
        double cpu = all[end] - all[first];
        return cpu > 0 ? (jit[end] - jit[first]) / cpu : Double.NaN;
    }
}
