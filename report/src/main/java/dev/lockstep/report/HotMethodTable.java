package dev.lockstep.report;

import dev.lockstep.results.HotMethods;
import java.util.ArrayList;
import java.util.List;

/** The {@linkplain HotMethodRows hot methods} as a terminal shows them. */
final class HotMethodTable {
    private static final int ROWS = 20;
    private static final char NO_BREAK_SPACE = '\u00a0';
    private static final String GAP = "  ";
    private static final String METHOD = "method";

    private final HotMethodRows hot;
    private final StringBuilder out = new StringBuilder();

    /** @param baseline the target that the others are compared with */
    HotMethodTable(HotMethods hot, String baseline) {
        this.hot = HotMethodRows.of(hot, baseline);
    }

    /** Returns the table, each line with its end. */
    @Override
    public String toString() {
        out.setLength(0);
        line("Hot methods (profiled apart from the run: no figure of the run comes from it)");
        for (List<String> target : hot.targets()) {
            wrapped(GAP + target.get(0));
            target.stream().skip(1).forEach(note -> wrapped(GAP + GAP + note));
        }
        if (hot.isEmpty()) {
            return out.toString();
        }
        print(hot.rows(ROWS));
        if (!hot.more(ROWS).isEmpty()) {
            line(GAP + hot.more(ROWS));
        }
        wrapped(GAP + hot.legend());
        hot.lists().forEach(list -> Lines.wrapped(GAP + list).forEach(part -> line(part.replace(NO_BREAK_SPACE, ' '))));
        return out.toString();
    }

    private void line(String line) {
        out.append(line.stripTrailing()).append('\n');
    }

    private void wrapped(String text) {
        Lines.wrapped(text).forEach(this::line);
    }

    /** Targets that do not fit go on in a further part below; the columns of one stay together. */
    private void print(List<HotMethodRows.Row> rows) {
        int columns = hot.headings().size();
        for (int from = 0; from < columns; ) {
            int to = nextTarget(from);
            while (to < columns && room(widths(figures(rows, from, nextTarget(to)))) >= METHOD.length()) {
                to = nextTarget(to);
            }
            if (from > 0) {
                line("");
            }
            print(rows, figures(rows, from, to));
            from = to;
        }
    }

    /** Returns where the columns of the target after the one at a column begin. */
    private int nextTarget(int column) {
        int next = column + 1;
        while (next < hot.headings().size() && !hot.headings().get(next).endsWith(HotMethodRows.SHARE)) {
            next++;
        }
        return next;
    }

    /** Returns what stands before the names, of these columns, the headings first. */
    private List<List<String>> figures(List<HotMethodRows.Row> rows, int from, int to) {
        List<List<String>> figures = new ArrayList<>();
        figures.add(withKind(hot.headings().subList(from, to), "kind"));
        rows.forEach(row -> figures.add(withKind(row.cells().subList(from, to), row.kind())));
        return figures;
    }

    private static int[] widths(List<List<String>> figures) {
        int[] widths = new int[figures.get(0).size()];
        for (List<String> cells : figures) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], cells.get(i).length());
            }
        }
        return widths;
    }

    /** Returns how long a name may be behind figures so wide. */
    private static int room(int[] widths) {
        int left = Lines.WIDTH - GAP.length();
        for (int width : widths) {
            left -= GAP.length() + width;
        }
        return left;
    }

    /**
     * Figures are put to the right, kind and name to the left. A name for which there is no room, not even with its
     * packages cut, stands below its figures.
     */
    private void print(List<HotMethodRows.Row> rows, List<List<String>> figures) {
        int[] widths = widths(figures);
        int left = room(widths);
        line(beforeName(figures.get(0), widths) + GAP + METHOD);
        for (int i = 0; i < rows.size(); i++) {
            String line = beforeName(figures.get(i + 1), widths);
            String name = rows.get(i).nameWithShortPackages(left);
            if (name.length() <= left) {
                line(line + GAP + name);
            } else {
                line(line);
                line(GAP + GAP + rows.get(i).name(Lines.WIDTH - 2 * GAP.length()));
            }
        }
    }

    private static List<String> withKind(List<String> cells, String kind) {
        List<String> all = new ArrayList<>(cells);
        all.add(kind);
        return all;
    }

    private static String beforeName(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = cells.get(i);
            String blank = " ".repeat(widths[i] - cell.length());
            line.append(GAP).append(i < widths.length - 1 ? blank + cell : cell + blank);
        }
        return line.toString();
    }
}
