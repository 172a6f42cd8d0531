package dev.lockstep.app;

/**
 * Factors a dense matrix into a lower and an upper triangular one with partial pivoting, as scimark.lu of SPECjvm2008
 * does: its inner loop is what a vectorising compiler wins on.
 *
 * <p>The answer shows a digest of the bits of all factors. Java's double arithmetic is exact to the bit, vectorised or
 * not, since no compiler may reorder or fuse these operations; a difference is a miscompilation.
 */
final class LuWork implements CpuWork {
    private static final int MAX_N = 500;

    @Override
    public byte[] answer(String query) {
        int n = Query.number(query, "n", 2, MAX_N, 100);
        double[][] matrix = matrix(n);
        int swaps = factor(matrix);
        long digest = n;
        for (double[] row : matrix) {
            for (double value : row) {
                digest = PreloadedUsers.mix(digest ^ Double.doubleToLongBits(value));
            }
        }
        long digestOfBits = digest;
        return Json.object(96, json -> {
            json.writeStringField("kind", "lu");
            json.writeNumberField("n", n);
            json.writeNumberField("swaps", swaps);
            json.writeStringField("digest", Long.toHexString(digestOfBits));
        });
    }

    private static double[][] matrix(int n) {
        double[][] matrix = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                // 53 random bits make a double from 0 to 1.
                matrix[i][j] = (PreloadedUsers.mix((long) i * MAX_N + j) >>> 11) * 0x1.0p-53;
            }
        }
        return matrix;
    }

    /** Factors in place and returns how many times two rows changed places. */
    static int factor(double[][] matrix) {
        int n = matrix.length;
        int swaps = 0;
        for (int j = 0; j < n; j++) {
            int pivot = j;
            for (int i = j + 1; i < n; i++) {
                if (Math.abs(matrix[i][j]) > Math.abs(matrix[pivot][j])) {
                    pivot = i;
                }
            }
            if (pivot != j) {
                double[] row = matrix[pivot];
                matrix[pivot] = matrix[j];
                matrix[j] = row;
                swaps++;
            }
            double[] pivotRow = matrix[j];
            double reciprocal = 1.0 / pivotRow[j];
            for (int i = j + 1; i < n; i++) {
                matrix[i][j] *= reciprocal;
            }
            for (int i = j + 1; i < n; i++) {
                double[] row = matrix[i];
                double factor = row[j];
                for (int k = j + 1; k < n; k++) {
                    row[k] -= factor * pivotRow[k];
                }
            }
        }
        return swaps;
    }
}
