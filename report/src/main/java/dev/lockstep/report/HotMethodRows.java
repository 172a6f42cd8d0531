package dev.lockstep.report;

import static dev.lockstep.report.Figures.printable;

import dev.lockstep.results.CodeKind;
import dev.lockstep.results.HotMethods;
import dev.lockstep.results.HotMethods.Method;
import dev.lockstep.results.HotMethods.Target;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * In which methods the targets spend their CPU time, as cells and sentences that the terminal and the page both show: a
 * row for each of the hottest, with every target's share of samples, that share of its CPU time per request, and the
 * ratio to the baseline's; then what only one target has, and the stubs. Immutable.
 */
public final class HotMethodRows {
    /** Behind a target's name above the first of its columns. */
    static final String SHARE = " %";

    private static final int LONGEST_NAME_IN_A_LIST = 40;
    private static final int LONGEST_LIST = 120;
    private static final char NO_BREAK_SPACE = '\u00a0';
    private static final double NS_PER_US = 1e3;
    /** What has less can lack in the others by chance. */
    private static final double ALONE_SHARE = 0.01;

    private static final double STUB_SHARE = 0.001;

    /** A method. */
    public static final class Row {
        private final String name;
        private final boolean java;
        private final String kind;
        private final List<String> cells;

        private Row(String name, boolean java, String kind, List<String> cells) {
            this.name = name;
            this.java = java;
            this.kind = kind;
            this.cells = List.copyOf(cells);
        }

        public String name() {
            return name;
        }

        /**
         * Returns its name in so many letters at most: packages are cut to their first letters, then the name itself.
         */
        String name(int length) {
            return shortened(name, java, length);
        }

        /** Returns its name with as many packages cut as help to make it so long, and no letter of the rest. */
        String nameWithShortPackages(int length) {
            return java ? withShortPackages(name, length) : name;
        }

        /** Returns what kind of code it is; several where the targets differ. */
        public String kind() {
            return kind;
        }

        /** Returns what stands below each heading; {@code -} for what does not exist. */
        public List<String> cells() {
            return cells;
        }
    }

    private final HotMethods hot;
    private final List<Target> profiled;
    private final Target baseline;
    private final boolean scaled;

    private HotMethodRows(HotMethods hot, String baselineName) {
        this.hot = hot;
        profiled = hot.targets().stream()
                .filter(target -> target.absentReason().isEmpty())
                .collect(Collectors.toList());
        baseline = profiled.stream()
                .filter(target -> target.name().equals(baselineName))
                .findFirst()
                .orElse(null);
        scaled = profiled.stream().allMatch(target -> target.cpuNsPerRequest().isPresent());
    }

    /** @param baseline the target that the others are compared with */
    static HotMethodRows of(HotMethods hot, String baseline) {
        return new HotMethodRows(hot, baseline);
    }

    /**
     * Returns a line for each target: how it was profiled, or why it was not; what else is to be known stands below it.
     */
    List<List<String>> targets() {
        return hot.targets().stream().map(HotMethodRows::lines).collect(Collectors.toList());
    }

    /** Returns how a target was profiled, or why it was not, in a line. */
    public String target(String name) {
        return hot.targets().stream()
                .filter(target -> target.name().equals(name))
                .map(target -> String.join("; ", lines(target)))
                .findFirst()
                .orElse(name + ": not profiled");
    }

    private static List<String> lines(Target target) {
        if (target.absentReason().isPresent()) {
            return List.of(target.name() + ": not profiled: "
                    + printable(target.absentReason().get()));
        }
        List<String> lines = new ArrayList<>(List.of(Figures.format(
                "%s: %,d samples in %.1f s by %s (%s)",
                target.name(),
                target.samples(),
                target.durationNs() / 1e9,
                printable(target.profiler()),
                printable(target.event()))));
        target.note().ifPresent(note -> lines.add(printable(note)));
        return lines;
    }

    /** Whether no target has a profile. */
    boolean isEmpty() {
        return profiled.isEmpty();
    }

    /** Returns what stands above the cells. */
    public List<String> headings() {
        List<String> headings = new ArrayList<>();
        for (Target target : profiled) {
            headings.add(target.name() + SHARE);
            if (scaled) {
                headings.add("us");
            }
            if (isCompared(target)) {
                headings.add("ratio");
            }
        }
        return headings;
    }

    private boolean isCompared(Target target) {
        return baseline != null && target != baseline && sampler(target).equals(sampler(baseline));
    }

    /** Names what took a target's samples and when; shares of two that differ are not of the same whole. */
    private static String sampler(Target target) {
        return target.profiler() + " " + target.event();
    }

    /** Returns the hottest methods, so many at most; none where no target has a profile. */
    public List<Row> rows(int most) {
        return profiled.isEmpty()
                ? List.of()
                : hot.methods().stream().limit(most).map(this::row).collect(Collectors.toList());
    }

    private Row row(Method method) {
        List<String> cells = new ArrayList<>();
        for (Target target : profiled) {
            boolean met = method.samples(target.name()) > 0;
            cells.add(met ? percent(method, target) : Figures.ABSENT);
            if (scaled) {
                cells.add(
                        met
                                ? Figures.threeDigits(HotMethods.cpuNsPerRequest(method, target)
                                                .getAsDouble()
                                        / NS_PER_US)
                                : Figures.ABSENT);
            }
            if (isCompared(target)) {
                cells.add(met ? ratio(method, target) : Figures.ABSENT);
            }
        }
        Set<String> kinds = new LinkedHashSet<>();
        profiled.forEach(target -> method.kind(target.name()).ifPresent(kind -> kinds.add(kind.label())));
        return new Row(printable(method.name()), method.kind().isJava(), String.join("/", kinds), cells);
    }

    private static String percent(Method method, Target target) {
        return Figures.format("%.1f", 100 * HotMethods.share(method, target).getAsDouble());
    }

    private String ratio(Method method, Target target) {
        OptionalDouble mine = scaled ? HotMethods.cpuNsPerRequest(method, target) : HotMethods.share(method, target);
        OptionalDouble base =
                scaled ? HotMethods.cpuNsPerRequest(method, baseline) : HotMethods.share(method, baseline);
        return base.getAsDouble() > 0 ? Figures.ratio(mine.getAsDouble() / base.getAsDouble()) : Figures.ABSENT;
    }

    /** Returns how many methods there are beside so many, and where; empty where there are none. */
    public String more(int shown) {
        int listed = hot.methods().size();
        long more = Math.max(0, listed - shown) + hot.methodsLeftOut();
        return more == 0 || profiled.isEmpty()
                ? ""
                : more + " more with fewer samples"
                        + (hot.methodsLeftOut() == 0 ? " in run.json" : "; run.json has " + listed);
    }

    /** Returns what the cells are. */
    public String legend() {
        return "%: of the samples, in the method's own code."
                + (scaled ? " us: that share of the run's CPU time per request." : "")
                + (profiled.stream().anyMatch(this::isCompared) ? " Ratio: of the " + (scaled ? "us." : "%.") : "")
                + notCompared();
    }

    /** Says of which targets there is no ratio, and why; empty for none. */
    private String notCompared() {
        if (baseline == null) {
            return "";
        }
        String names = profiled.stream()
                .filter(target -> target != baseline && !isCompared(target))
                .map(Target::name)
                .collect(Collectors.joining(", "));
        return names.isEmpty()
                ? ""
                : " No ratio of " + names + " to " + baseline.name() + ": another profiler or event took the samples.";
    }

    /**
     * Returns what only one target has, and the stubs of each, a line for each list. Blanks that belong to a name are
     * no-break spaces.
     */
    public List<String> lists() {
        List<String> lists = new ArrayList<>();
        alone(lists);
        stubs(lists);
        return lists;
    }

    /**
     * Names what a share of one target's samples met and no sample of another's; where all saw the same kinds of code.
     */
    private void alone(List<String> lists) {
        boolean alike = profiled.stream().map(HotMethodRows::sampler).distinct().count() == 1;
        if (profiled.size() < 2 || !alike) {
            return;
        }
        for (Target target : profiled) {
            List<Method> own = hot.methods().stream()
                    .filter(method -> method.samples(target.name()) >= Math.max(2, target.samples() * ALONE_SHARE)
                            && method.kind() != CodeKind.UNKNOWN
                            && profiled.stream()
                                    .allMatch(other -> other == target || method.samples(other.name()) == 0))
                    .collect(Collectors.toList());
            if (!own.isEmpty()) {
                lists.add(list("Only " + target.name() + ": ", own, target));
            }
        }
    }

    private void stubs(List<String> lists) {
        for (Target target : profiled) {
            List<Method> stubs = hot.methods().stream()
                    .filter(method -> method.kind(target.name()).orElse(null) == CodeKind.STUB
                            && method.samples(target.name()) >= target.samples() * STUB_SHARE)
                    .collect(Collectors.toList());
            if (!stubs.isEmpty()) {
                lists.add(list("Stubs and intrinsics of " + target.name() + ": ", stubs, target));
            }
        }
    }

    /** Returns methods, those with most samples first, as many as fit; cut between them only. */
    private static String list(String heading, List<Method> methods, Target target) {
        List<Method> sorted = new ArrayList<>(methods);
        sorted.sort((a, b) -> Long.compare(b.samples(target.name()), a.samples(target.name())));
        StringBuilder line = new StringBuilder(heading);
        for (int i = 0; i < sorted.size(); i++) {
            Method method = sorted.get(i);
            String name = shortened(printable(method.name()), method.kind().isJava(), LONGEST_NAME_IN_A_LIST) + " "
                    + percent(method, target) + " %";
            String next = (i == 0 ? "" : ", ") + name.replace(' ', NO_BREAK_SPACE);
            String rest = i + 1 == sorted.size() ? "" : ", " + (sorted.size() - i - 1) + " more";
            if (i > 0 && line.length() + next.length() + rest.length() > LONGEST_LIST) {
                return line.append(", ")
                        .append(sorted.size() - i)
                        .append(NO_BREAK_SPACE)
                        .append("more")
                        .toString();
            }
            line.append(next);
        }
        return line.toString();
    }

    private static String shortened(String name, boolean java, int length) {
        String cut = java ? withShortPackages(name, length) : name;
        return cut.length() <= length ? cut : cut.substring(0, length - 3) + "...";
    }

    /** Cuts packages to their first letters, from the left, until the name fits. */
    private static String withShortPackages(String name, int length) {
        String[] parts = name.split("\\.");
        String cut = name;
        for (int i = 0; i < parts.length - 2 && cut.length() > length; i++) {
            parts[i] = parts[i].isEmpty() ? "" : parts[i].substring(0, 1);
            cut = String.join(".", parts);
        }
        return cut;
    }
}
