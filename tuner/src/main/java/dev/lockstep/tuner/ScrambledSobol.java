package dev.lockstep.tuner;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.hipparchus.random.SobolSequenceGenerator;

/**
 * Points that cover a cube evenly: a Sobol sequence, each coordinate scrambled by itself so that seeds give different
 * points and the cover stays as even. One thread uses it.
 *
 * <p>The directions are those of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional
 * projections", SIAM J. Sci. Comput. 30 (2008), as Hipparchus has them. The scrambling is A. B. Owen's, "Randomly
 * permuted (t,m,s)-nets and (t,s)-sequences" (1995): every bit is flipped or not, depending on all bits above it. Here
 * a hash decides that, after B. Burley, "Practical hash-based Owen scrambling", JCGT 9 (2020).
 */
final class ScrambledSobol {
    private static final double SCALE = 0x1p-32;

    /** There are directions for so many coordinates; any further ones are random. */
    static final int MOST_DIMENSIONS = 1000;

    private final SobolSequenceGenerator sequence;
    private final int[] seeds;
    private final SplittableRandom random;

    ScrambledSobol(int dimensions, SplittableRandom random) {
        sequence = new SobolSequenceGenerator(Math.min(dimensions, MOST_DIMENSIONS));
        seeds = random.ints(dimensions).toArray();
        this.random = random;
    }

    /** Returns the next point; each coordinate is from 0 inclusive to 1 exclusive. */
    double[] next() {
        double[] sobol = sequence.nextVector();
        double[] point = Arrays.copyOf(sobol, seeds.length);
        for (int i = sobol.length; i < point.length; i++) {
            point[i] = ((random.nextInt() & 0xffffffffL) + 0.5) * SCALE;
        }
        for (int i = 0; i < sobol.length; i++) {
            int scrambled = scramble((int) (long) (point[i] / SCALE), seeds[i]);
            // Half a step above, for a coordinate of 0 has no normal quantile.
            point[i] = ((scrambled & 0xffffffffL) + 0.5) * SCALE;
        }
        return point;
    }

    private static int scramble(int bits, int seed) {
        int x = Integer.reverse(bits);
        // Laine and Karras' hash, constants by N. Vegdahl: each bit depends on the bits below it only.
        x ^= x * 0x3d20adea;
        x += seed;
        x *= (seed >>> 16) | 1;
        x ^= x * 0x05526c56;
        x ^= x * 0x53a22864;
        return Integer.reverse(x);
    }
}
