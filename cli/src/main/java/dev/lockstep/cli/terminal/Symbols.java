package dev.lockstep.cli.terminal;

import java.util.Collection;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** The characters that bars and spark lines consist of. Immutable. */
enum Symbols {
    BLOCKS("▁▂▃▄▅▆▇█", '█', '░'),
    /** For terminals that show no others. */
    ASCII("_.-~=+*#", '#', '.');

    private final String levels;
    private final char full;
    private final char empty;

    Symbols(String levels, char full, char empty) {
        this.levels = levels;
        this.full = full;
        this.empty = empty;
    }

    /** Returns those that can be written to standard error. */
    static Symbols ofStandardError() {
        boolean canEncode =
                Terminal.encoding("stderr").newEncoder().canEncode(BLOCKS.levels + BLOCKS.full + BLOCKS.empty);
        return canEncode ? BLOCKS : ASCII;
    }

    /** @param share from 0 to 1; more is full */
    String bar(double share, int width) {
        int filled = (int) Math.round(Math.max(0, Math.min(1, share)) * width);
        return String.valueOf(full).repeat(filled) + String.valueOf(empty).repeat(width - filled);
    }

    /**
     * Returns the last values as levels from 0 to the highest, the newest to the right; blank where there is none.
     *
     * @param highest of the scale
     */
    String spark(Collection<OptionalDouble> values, double highest, int width) {
        List<OptionalDouble> shown =
                values.stream().skip(Math.max(0, values.size() - width)).collect(Collectors.toList());
        StringBuilder text = new StringBuilder(" ".repeat(width - shown.size()));
        for (OptionalDouble value : shown) {
            text.append(
                    value.isEmpty()
                            ? ' '
                            : levels.charAt(
                                    highest <= 0
                                            ? 0
                                            : (int) Math.min(
                                                    levels.length() - 1,
                                                    value.getAsDouble() / highest * levels.length())));
        }
        return text.toString();
    }
}
