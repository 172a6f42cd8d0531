package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.measurement.EndpointLoad;
import dev.lockstep.measurement.Percentiles.Level;
import dev.lockstep.results.EndpointResult;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The worst endpoints of a run: those of which at least 1 % of the requests fail at a target, most failures first, then
 * the slowest. Of several targets each has a line below the endpoint's name, with the ratio of its p99 to the
 * baseline's. Empty where no endpoint got enough requests to say something.
 */
final class EndpointTable {
    private static final int SHOWN = 5;
    private static final double NS_PER_MS = 1e6;
    private static final String CUT = "...";

    private final RunResult result;
    private final List<TargetResult> targets;
    /** By name, then by target. */
    private final Map<String, Map<String, EndpointResult>> endpoints = new LinkedHashMap<>();

    EndpointTable(RunResult result) {
        this.result = result;
        targets = result.targets().stream()
                .filter(target -> !target.endpoints().isEmpty())
                .collect(Collectors.toList());
        for (TargetResult target : targets) {
            target.endpoints().forEach(endpoint -> endpoints
                    .computeIfAbsent(endpoint.name(), name -> new LinkedHashMap<>())
                    .put(target.name(), endpoint));
        }
    }

    /** Returns the lines, each with its end. */
    @Override
    public String toString() {
        List<String> worst = endpoints.keySet().stream()
                .filter(name -> failures(name) > 0 || slowest(name) > 0)
                .sorted(Comparator.comparingLong(this::failures)
                        .thenComparingLong(this::slowest)
                        .reversed())
                .limit(SHOWN)
                .collect(Collectors.toList());
        if (worst.isEmpty()) {
            return "";
        }
        // Of several a single one may have had load.
        boolean several = result.targets().size() > 1;
        Distrust distrust = new Distrust(result);
        String warning = distrust.caption(true);
        Table table = new Table("");
        List<String> headings = new ArrayList<>(List.of(
                distrust.spoils(true) ? Distrust.SIGN : several ? "target" : "endpoint",
                "requests",
                "errors",
                "p50 ms",
                "p99 ms"));
        if (targets.size() > 1) {
            headings.add("p99 ratio");
        }
        table.row(headings);
        for (String name : worst) {
            if (several) {
                table.row(List.of(shown(name)));
                targets.forEach(target -> table.row(figures("  " + target.name(), name, target)));
            } else {
                table.row(figures(shown(name), name, targets.get(0)));
            }
        }
        return (warning.isEmpty() ? "" : String.join("\n", Lines.wrapped(warning)) + "\n")
                + "The worst " + worst.size() + " of " + endpoints.size() + " endpoints: what fails, then the slowest\n"
                + table
                + (worst.contains(EndpointLoad.OTHER)
                        ? EndpointLoad.OTHER + " is all but the " + EndpointLoad.MOST_NAMED + " most frequent\n"
                        : "");
    }

    /** Returns how often it fails at the target at which it does so most, 0 where it fails too seldom. */
    private long failures(String name) {
        return each(name)
                .filter(endpoint -> endpoint.errors() >= FailureTable.LOUD_SHARE * endpoint.count())
                .mapToLong(EndpointResult::errors)
                .max()
                .orElse(0);
    }

    /** Returns the slowest percentile that there is enough to tell of; 0 without one. */
    private long slowest(String name) {
        return each(name)
                .flatMapToLong(endpoint -> LongStream.concat(
                        endpoint.supported(Level.P50).stream(), endpoint.supported(Level.P99).stream()))
                .max()
                .orElse(0);
    }

    private Stream<EndpointResult> each(String name) {
        return endpoints.get(name).values().stream();
    }

    private static String shown(String name) {
        String printable = printable(name);
        return printable.length() <= Lines.WIDTH ? printable : printable.substring(0, Lines.WIDTH - CUT.length()) + CUT;
    }

    private List<String> figures(String first, String name, TargetResult target) {
        EndpointResult endpoint = endpoints.get(name).get(target.name());
        List<String> cells = new ArrayList<>(List.of(first));
        cells.add(endpoint == null ? Figures.ABSENT : Long.toString(endpoint.count()));
        cells.add(endpoint == null ? Figures.ABSENT : Long.toString(endpoint.errors()));
        cells.add(percentile(endpoint, Level.P50));
        cells.add(percentile(endpoint, Level.P99));
        if (targets.size() > 1) {
            String baseline = result.baseline().name();
            cells.add(
                    target.name().equals(baseline)
                            ? ""
                            : ratio(endpoint, endpoints.get(name).get(baseline)));
        }
        return cells;
    }

    private static String percentile(EndpointResult endpoint, Level level) {
        OptionalLong ns = endpoint == null ? OptionalLong.empty() : endpoint.supported(level);
        return ns.isEmpty()
                ? Figures.ABSENT
                : (endpoint.stands(level) ? "" : Figures.AT_LEAST) + Figures.threeDigits(ns.getAsLong() / NS_PER_MS);
    }

    private static String ratio(EndpointResult mine, EndpointResult base) {
        return hasP99(mine) && hasP99(base) && base.supported(Level.P99).getAsLong() > 0
                ? Figures.ratio((double) mine.supported(Level.P99).getAsLong()
                        / base.supported(Level.P99).getAsLong())
                : Figures.ABSENT;
    }

    private static boolean hasP99(EndpointResult endpoint) {
        return endpoint != null && endpoint.supported(Level.P99).isPresent() && endpoint.stands(Level.P99);
    }
}
