import dev.lockstep.tuner.Configuration;
import dev.lockstep.tuner.Observation;
import dev.lockstep.tuner.Parameter;
import dev.lockstep.tuner.Recommendation;
import dev.lockstep.tuner.Space;
import dev.lockstep.tuner.Study;
import dev.lockstep.tuner.StudyOptions;
import dev.lockstep.tuner.Trial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.ToDoubleFunction;

/**
 * The true regret of what the tuner recommends after 40 evaluations, over seeds, on the problems of optimisers.py in one
 * process: for trying changes of the tuner.
 *
 * <pre>java -cp CLASSES benchmarks/OptimiserRegret.java [PROBLEM,... [SEEDS [FIRST_SEED]]]</pre>
 *
 * With {@code -Deach=true} each seed has a line: compare two versions by the same seeds, choose on some seeds and report
 * others, for medians of 50 differ by a third by chance where there is noise.
 */
final class OptimiserRegret {
    private static final int EVALUATIONS = Integer.getInteger("evaluations", 40);

    private static final double[] ALPHA = {1.0, 1.2, 3.0, 3.2};
    private static final double[][] A = {
        {10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}
    };
    private static final double[][] P = {
        {1312, 1696, 5569, 124, 8283, 5886},
        {2329, 4135, 8307, 3736, 1004, 9991},
        {2348, 1451, 3522, 2883, 3047, 6650},
        {4047, 8828, 8732, 5743, 1091, 381}
    };

    private static final class Problem {
        final List<Parameter> parameters = new ArrayList<>();
        final List<ToDoubleFunction<double[]>> constraints = new ArrayList<>();
        final ToDoubleFunction<double[]> f;
        final double optimum;
        final double penalty;
        double noise;

        Problem(ToDoubleFunction<double[]> f, double optimum, double penalty) {
            this.f = f;
            this.optimum = optimum;
            this.penalty = penalty;
        }

        Problem floats(int count, double min, double max) {
            for (int i = 0; i < count; i++) {
                parameters.add(Parameter.builder("x" + parameters.size(), Parameter.Type.FLOAT)
                        .min(min)
                        .max(max)
                        .build());
            }
            return this;
        }

        Problem ints(int count, int min, int max) {
            for (int i = 0; i < count; i++) {
                parameters.add(Parameter.builder("x" + parameters.size(), Parameter.Type.INT)
                        .min(min)
                        .max(max)
                        .build());
            }
            return this;
        }

        Problem category(int count) {
            List<Object> values = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                values.add(i);
            }
            parameters.add(Parameter.builder("x" + parameters.size(), Parameter.Type.CATEGORICAL)
                    .values(values)
                    .build());
            return this;
        }

        Problem constraint(ToDoubleFunction<double[]> constraint) {
            constraints.add(constraint);
            return this;
        }

        Problem noise(double sd) {
            noise = sd;
            return this;
        }

        double[] point(Configuration configuration) {
            return configuration.values().values().stream()
                    .mapToDouble(value -> ((Number) value).doubleValue())
                    .toArray();
        }

        double regret(double[] x) {
            if (x == null || constraints.stream().anyMatch(c -> c.applyAsDouble(x) > 0)) {
                return penalty;
            }
            return f.applyAsDouble(x) - optimum;
        }
    }

    private static final double HARTMANN6 = -3.32236801141551;

    private static Map<String, Problem> problems() {
        Map<String, Problem> all = new LinkedHashMap<>();
        all.put("branin", branin());
        all.put("branin-10.25", branin().noise(10.25));
        for (double penalty : new double[] {1e3, 1e4, 1e6, 1e300}) {
            String name = String.format(Locale.ROOT, "branin-penalty-%.0e", penalty);
            all.put(name, penalised(penalty));
            all.put(name + "-5", penalised(penalty).noise(5));
        }
        all.put("hartmann6", hartmann());
        all.put("hartmann6-0.077", hartmann().noise(0.077));
        all.put("hartmann6-0.5", hartmann().noise(0.5));
        all.put("hartmann6-norm", norm());
        all.put("hartmann6-norm-0.2", norm().noise(0.2));
        all.put(
                "gardner",
                new Problem(x -> Math.cos(2 * x[0]) * Math.cos(x[1]) + Math.sin(x[0]), -2, 4)
                        .floats(2, 0, 6)
                        .constraint(x -> Math.cos(x[0]) * Math.cos(x[1]) - Math.sin(x[0]) * Math.sin(x[1]) - 0.5));
        all.put("gramacy", gramacy());
        all.put("gramacy-0.2", gramacy().noise(0.2));
        all.put("func2c", new Problem(OptimiserRegret::func2c, -0.20632569, 30).category(3).category(5).floats(2, -1, 1));
        all.put("mixed-hartmann6", mixed());
        all.put("mixed-hartmann6-0.2", mixed().noise(0.2));
        all.put(
                "pressure-vessel",
                new Problem(OptimiserRegret::vessel, 6059.714335, 100_000)
                        .ints(2, 1, 99)
                        .floats(2, 10, 200)
                        .constraint(x -> 0.0193 * x[2] - 0.0625 * x[0])
                        .constraint(x -> 0.00954 * x[2] - 0.0625 * x[1])
                        .constraint(x -> (1296000 - Math.PI * x[2] * x[2] * x[3] - 4.0 / 3 * Math.PI * x[2] * x[2] * x[2])
                                / 1e6));
        return all;
    }

    private static Problem branin() {
        Problem problem = new Problem(OptimiserRegret::branin, 0.397887357729738, 300);
        return problem.floats(1, -5, 10).floats(1, 0, 15);
    }

    /** Branin's function where nearly half of the space answers a penalty. */
    private static Problem penalised(double penalty) {
        Problem problem =
                new Problem(x -> x[0] > 5 || x[1] > 12.25 ? penalty : branin(x), 0.397887357729738, 300);
        return problem.floats(1, -5, 10).floats(1, 0, 15);
    }

    private static double branin(double[] x) {
        return Math.pow(x[1] - 5.1 / (4 * Math.PI * Math.PI) * x[0] * x[0] + 5 / Math.PI * x[0] - 6, 2)
                + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x[0])
                + 10;
    }

    private static Problem hartmann() {
        return new Problem(OptimiserRegret::hartmann6, HARTMANN6, 3.4).floats(6, 0, 1);
    }

    private static Problem norm() {
        return hartmann().constraint(x -> Arrays.stream(x).sum() - 3);
    }

    private static Problem mixed() {
        return new Problem(
                        x -> hartmann6(new double[] {x[0] / 4, x[1] / 4, x[2] / 4, x[3], x[4], x[5]}),
                        -3.178102079513,
                        3.4)
                .ints(3, 0, 4)
                .floats(3, 0, 1);
    }

    private static Problem gramacy() {
        return new Problem(x -> x[0] + x[1], 0.599787948, 1.5)
                .floats(2, 0, 1)
                .constraint(x ->
                        1.5 - x[0] - 2 * x[1] - 0.5 * Math.sin(2 * Math.PI * (x[0] * x[0] - 2 * x[1])))
                .constraint(x -> x[0] * x[0] + x[1] * x[1] - 1.5);
    }

    private static double hartmann6(double[] x) {
        double sum = 0;
        for (int i = 0; i < 4; i++) {
            double inner = 0;
            for (int j = 0; j < 6; j++) {
                inner += A[i][j] * Math.pow(x[j] - 1e-4 * P[i][j], 2);
            }
            sum -= ALPHA[i] * Math.exp(-inner);
        }
        return sum;
    }

    private static double part(int kind, double a, double b) {
        if (kind == 0) {
            return (100 * Math.pow(b - a * a, 2) + Math.pow(a - 1, 2)) / 300;
        }
        if (kind == 1) {
            return ((4 - 2.1 * a * a + Math.pow(a, 4) / 3) * a * a + a * b + (-4 + 4 * b * b) * b * b) / 10;
        }
        return (Math.pow(1.5 - a + a * b, 2)
                        + Math.pow(2.25 - a + a * b * b, 2)
                        + Math.pow(2.625 - a + a * b * b * b, 2))
                / 50;
    }

    private static double func2c(double[] x) {
        double a = 2 * x[2];
        double b = 2 * x[3];
        return part((int) x[0], a, b) + part(Math.min(2, (int) x[1]), a, b);
    }

    private static double vessel(double[] x) {
        double a = 0.0625 * x[0];
        double b = 0.0625 * x[1];
        return 0.6224 * a * x[2] * x[3]
                + 1.7781 * b * x[2] * x[2]
                + 3.1661 * a * a * x[3]
                + 19.84 * a * a * x[2];
    }

    private static double run(Problem problem, long seed) {
        Space.Builder builder = Space.builder().parameters(problem.parameters);
        for (int i = 0; i < problem.constraints.size(); i++) {
            builder.addConstraints("c" + i);
        }
        Study study = Study.of(
                builder.build(),
                StudyOptions.builder().evaluations(EVALUATIONS).seed(seed).build());
        Random random = new Random(seed * 7919 + 13);
        for (int i = 0; i < EVALUATIONS; i++) {
            Trial trial = study.ask();
            double[] x = problem.point(trial.configuration());
            Map<String, Double> constraints = new HashMap<>();
            double value = problem.f.applyAsDouble(x) + problem.noise * random.nextGaussian();
            for (int c = 0; c < problem.constraints.size(); c++) {
                constraints.put(
                        "c" + c,
                        problem.constraints.get(c).applyAsDouble(x) + problem.noise * random.nextGaussian());
            }
            study.tell(
                    trial,
                    Observation.builder().value(value).constraints(constraints).build());
            if (Boolean.getBoolean("verbose")) {
                System.out.printf(Locale.ROOT, "%s %.6f %s%n", trial.origin(), problem.regret(x), trial.configuration());
            }
        }
        Optional<Recommendation> best = study.best();
        return problem.regret(best.map(one -> problem.point(one.configuration())).orElse(null));
    }

    public static void main(String[] arguments) {
        Map<String, Problem> problems = problems();
        int seeds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 50;
        long first = arguments.length > 2 ? Long.parseLong(arguments[2]) : 1;
        List<String> names = arguments.length > 0 && !arguments[0].equals("all")
                ? Arrays.asList(arguments[0].split(","))
                : new ArrayList<>(problems.keySet());
        for (String name : names) {
            double[] regrets = new double[seeds];
            long start = System.nanoTime();
            for (int i = 0; i < seeds; i++) {
                regrets[i] = run(problems.get(name), first + i);
                if (Boolean.getBoolean("each")) {
                    System.out.printf(Locale.ROOT, "%s %d %.6f%n", name, first + i, regrets[i]);
                }
            }
            double ms = (System.nanoTime() - start) / 1e6 / seeds / EVALUATIONS;
            Arrays.sort(regrets);
            double penalty = problems.get(name).penalty;
            System.out.printf(
                    Locale.ROOT,
                    "%-20s median %8.4f quartiles %8.4f %8.4f mean %8.4f log10 %.3f violate %d  %.1f ms a trial%n",
                    name,
                    (regrets[(seeds - 1) / 2] + regrets[seeds / 2]) / 2,
                    regrets[seeds / 4],
                    regrets[seeds * 3 / 4],
                    Arrays.stream(regrets).average().orElse(0),
                    Arrays.stream(regrets).map(one -> Math.log10(Math.max(1e-6, one))).average().orElse(0),
                    Arrays.stream(regrets).filter(one -> one == penalty).count(),
                    ms);
        }
    }
}
