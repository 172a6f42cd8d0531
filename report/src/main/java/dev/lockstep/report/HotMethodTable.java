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
 * In which methods the targets spend their CPU time: a line for each of the hottest, with every target's share of
 * samples, that share of its CPU time per request, and the ratio to the baseline's; then what only one target has, and
 * the stubs.
 */
final class HotMethodTable {
    private static final int ROWS = 20;
    private static final int LONGEST_NAME_IN_A_LIST = 40;
    private static final int LONGEST_LIST = 120;
    private static final char NO_BREAK_SPACE = '\u00a0';
    private static final String GAP = "  ";
    private static final double NS_PER_US = 1e3;
    /** What has less can lack in the others by chance. */
    private static final double ALONE_SHARE = 0.01;

    private static final double STUB_SHARE = 0.001;

    private final HotMethods hot;
    private final List<Target> profiled;
    private final Target baseline;
    private final boolean scaled;
    private final StringBuilder out = new StringBuilder();

    /** @param baselineName the target that the others are compared with */
    HotMethodTable(HotMethods hot, String baselineName) {
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

    /** Returns the table, each line with its end. */
    @Override
    public String toString() {
        out.setLength(0);
        line("Hot methods (profiled apart from the run: no figure of the run comes from it)");
        for (Target target : hot.targets()) {
            wrapped(GAP + heading(target));
            target.note().ifPresent(note -> wrapped(GAP + GAP + printable(note)));
        }
        if (profiled.isEmpty()) {
            return out.toString();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(headings());
        int shown = Math.min(ROWS, hot.methods().size());
        hot.methods().subList(0, shown).forEach(method -> rows.add(row(method)));
        print(rows);
        long more = hot.methods().size() - shown + hot.methodsLeftOut();
        if (more > 0) {
            line(GAP + more + " more with fewer samples"
                    + (hot.methodsLeftOut() == 0
                            ? " in run.json"
                            : "; run.json has " + hot.methods().size()));
        }
        wrapped(GAP + "%: of the samples, in the method's own code."
                + (scaled ? " us: that share of the run's CPU time per request." : "")
                + (profiled.size() > 1 && baseline != null ? " Ratio: of the " + (scaled ? "us." : "%.") : ""));
        alone();
        stubs();
        return out.toString();
    }

    private void line(String line) {
        out.append(line.stripTrailing()).append('\n');
    }

    private void wrapped(String text) {
        Lines.wrapped(text).forEach(this::line);
    }

    private static String heading(Target target) {
        if (target.absentReason().isPresent()) {
            return target.name() + ": not profiled: "
                    + printable(target.absentReason().get());
        }
        return Figures.format(
                "%s: %,d samples in %.1f s by %s (%s)",
                target.name(),
                target.samples(),
                target.durationNs() / 1e9,
                printable(target.profiler()),
                printable(target.event()));
    }

    private List<String> headings() {
        List<String> cells = new ArrayList<>();
        for (Target target : profiled) {
            cells.add(target.name() + " %");
            if (scaled) {
                cells.add("us");
            }
            if (compared(target)) {
                cells.add("ratio");
            }
        }
        cells.add("kind");
        cells.add("method");
        return cells;
    }

    private boolean compared(Target target) {
        return baseline != null && target != baseline;
    }

    private List<String> row(Method method) {
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
            if (compared(target)) {
                cells.add(met ? ratio(method, target) : Figures.ABSENT);
            }
        }
        Set<String> kinds = new LinkedHashSet<>();
        profiled.forEach(target -> method.kind(target.name()).ifPresent(kind -> kinds.add(kind.label())));
        cells.add(String.join("/", kinds));
        cells.add(printable(method.name()));
        return cells;
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

    /**
     * Figures are put to the right, the last two columns to the left. A name for which there is no room, not even with
     * its packages cut, stands below its figures.
     */
    private void print(List<List<String>> rows) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        int used = 0;
        for (int i = 0; i < columns - 1; i++) {
            used += GAP.length() + widths[i];
        }
        int left = Lines.WIDTH - used - GAP.length();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns - 1; i++) {
                String cell = row.get(i);
                String blank = " ".repeat(widths[i] - cell.length());
                line.append(GAP).append(i < columns - 2 ? blank + cell : cell + blank);
            }
            String name = withShortPackages(row.get(columns - 1), left);
            if (name.length() <= left) {
                line(line + GAP + name);
            } else {
                line(line.toString());
                line(GAP + GAP + shortened(row.get(columns - 1), Lines.WIDTH - 2 * GAP.length()));
            }
        }
    }

    /** Cuts packages to their first letters, from the left, until the name fits; then the name itself. */
    static String shortened(String name, int length) {
        String cut = withShortPackages(name, length);
        return cut.length() <= length ? cut : cut.substring(0, length - 3) + "...";
    }

    private static String withShortPackages(String name, int length) {
        String[] parts = name.split("\\.");
        StringBuilder cut = new StringBuilder(name);
        if (name.indexOf(' ') < 0 && parts.length > 2) {
            for (int i = 0; i < parts.length - 2 && cut.length() > length; i++) {
                parts[i] = parts[i].isEmpty() ? "" : parts[i].substring(0, 1);
                cut = new StringBuilder(String.join(".", parts));
            }
        }
        return cut.toString();
    }

    /**
     * Names what a share of one target's samples met and no sample of another's; where all saw the same kinds of code.
     */
    private void alone() {
        boolean alike = profiled.stream()
                        .map(target -> target.profiler() + " " + target.event())
                        .distinct()
                        .count()
                == 1;
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
                named("Only " + target.name() + ": ", own, target);
            }
        }
    }

    private void stubs() {
        for (Target target : profiled) {
            List<Method> stubs = hot.methods().stream()
                    .filter(method -> method.kind(target.name()).orElse(null) == CodeKind.STUB
                            && method.samples(target.name()) >= target.samples() * STUB_SHARE)
                    .collect(Collectors.toList());
            if (!stubs.isEmpty()) {
                named("Stubs and intrinsics of " + target.name() + ": ", stubs, target);
            }
        }
    }

    /** Writes a list of methods, those with most samples first, as many as fit; cut between them only. */
    private void named(String heading, List<Method> methods, Target target) {
        List<Method> sorted = new ArrayList<>(methods);
        sorted.sort((a, b) -> Long.compare(b.samples(target.name()), a.samples(target.name())));
        StringBuilder line = new StringBuilder(GAP).append(heading);
        for (int i = 0; i < sorted.size(); i++) {
            Method method = sorted.get(i);
            String name =
                    shortened(printable(method.name()), LONGEST_NAME_IN_A_LIST) + " " + percent(method, target) + " %";
            String next = (i == 0 ? "" : ", ") + name.replace(' ', NO_BREAK_SPACE);
            String rest = i + 1 == sorted.size() ? "" : ", " + (sorted.size() - i - 1) + " more";
            if (i > 0 && line.length() + next.length() + rest.length() > LONGEST_LIST) {
                line.append(", ")
                        .append(sorted.size() - i)
                        .append(NO_BREAK_SPACE)
                        .append("more");
                break;
            }
            line.append(next);
        }
        Lines.wrapped(line.toString()).forEach(part -> line(part.replace(NO_BREAK_SPACE, ' ')));
    }
}
