package dev.lockstep.replayer.schedule;

/**
 * A rate that changes evenly from {@code a} to {@code b} requests per second within {@code d} seconds and stays at
 * {@code b}. Immutable.
 *
 * <p>With {@code k = (b - a) / d} the rate at time {@code t} is {@code a + k t}, so until then
 *
 * <pre>
 *   N(t) = a t + k t^2 / 2
 * </pre>
 *
 * requests are due. Request {@code n} is due when {@code N(t) = n}. Of the two solutions of this quadratic the earlier
 * one for a rising rate, {@code t = (sqrt(a^2 + 2 k n) - a) / k}, loses all digits where {@code k} is small; the same
 * solution with its fraction turned over,
 *
 * <pre>
 *   t(n) = 2 n / (a + sqrt(a^2 + 2 k n))
 * </pre>
 *
 * loses none, holds for rising, falling and constant rates, and for {@code a = 0}. From {@code N(d) = (a + b) d / 2} on
 * the rate is {@code b}: {@code t(n) = d + (n - N(d)) / b}. Double arithmetic keeps the error under a nanosecond for
 * days.
 */
final class RampSchedule implements ArrivalSchedule {
    private final double fromPerSec;
    private final double toPerSec;
    private final double growth;
    private final double requests;
    private final long lengthNs;

    RampSchedule(double fromPerSec, double toPerSec, long lengthNs) {
        this.fromPerSec = fromPerSec;
        this.toPerSec = toPerSec;
        this.lengthNs = lengthNs;
        growth = (toPerSec - fromPerSec) * 1e9 / lengthNs;
        requests = (fromPerSec + toPerSec) / 2 * (lengthNs / 1e9);
    }

    @Override
    public long intendedNs(long n) {
        if (n == 0) {
            return 0;
        }
        if (n >= requests) {
            return lengthNs + (long) Math.rint((n - requests) * 1e9 / toPerSec);
        }
        double root = Math.sqrt(fromPerSec * fromPerSec + 2 * growth * n);
        return Math.min(lengthNs, (long) Math.rint(2e9 * n / (fromPerSec + root)));
    }
}
