package dev.lockstep.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows of cells below their headings, the first column to the left, the others to the right. It is as wide as a
 * terminal at most: a first cell that leaves no room for the figures stands on a line of its own above them, and
 * columns that do not fit go on in a further part below.
 */
final class Table {
    private static final String GAP = "  ";

    private final String indent;
    private final int width;
    private final List<List<String>> rows = new ArrayList<>();

    /** @param indent what every line begins with */
    Table(String indent) {
        this(indent, Lines.WIDTH);
    }

    /** @param width of the terminal */
    Table(String indent, int width) {
        this.indent = indent;
        this.width = width;
    }

    /** Adds a row, first the headings; one with a single cell is a line over all columns. */
    void row(List<String> cells) {
        rows.add(List.copyOf(cells));
    }

    /** Returns its lines, each with its end. */
    @Override
    public String toString() {
        StringBuilder out = new StringBuilder();
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length && row.size() > 1; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        int heading = rows.get(0).get(0).length();
        for (int from = 1; from < widths.length; ) {
            int room = width - indent.length();
            int to = from;
            while (to < widths.length && (to == from || room - GAP.length() - widths[to] >= heading)) {
                room -= GAP.length() + widths[to++];
            }
            if (from > 1) {
                out.append('\n');
            }
            part(out, widths, from, to, Math.max(room, heading));
            from = to;
        }
        return out.toString();
    }

    private void part(StringBuilder out, int[] widths, int from, int to, int room) {
        int first = 0;
        for (List<String> row : rows) {
            int length = row.get(0).length();
            if (row.size() > 1 && length <= room) {
                first = Math.max(first, length);
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder(indent).append(row.get(0));
            if (row.size() > 1) {
                if (row.get(0).length() > room) {
                    out.append(line).append('\n');
                    line.setLength(indent.length());
                }
                line.append(" ".repeat(indent.length() + first - line.length()));
                for (int i = from; i < to; i++) {
                    String cell = row.get(i);
                    line.append(GAP)
                            .append(" ".repeat(widths[i] - cell.length()))
                            .append(cell);
                }
            }
            out.append(line.toString().stripTrailing()).append('\n');
        }
    }
}
