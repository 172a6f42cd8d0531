package dev.lockstep.monitor;

/** The fields we need of a {@code /proc/PID/stat} line, see proc(5). Immutable. */
final class ProcStat {
    private static final int PROCESSOR = 39;

    private final long minorFaults;
    private final long majorFaults;
    private final long userTicks;
    private final long systemTicks;
    private final long startTicks;
    private final int processor;
    private final char state;

    private ProcStat(String[] fieldsFromState) {
        state = fieldsFromState[0].charAt(0);
        minorFaults = number(fieldsFromState, 10);
        majorFaults = number(fieldsFromState, 12);
        userTicks = number(fieldsFromState, 14);
        systemTicks = number(fieldsFromState, 15);
        startTicks = number(fieldsFromState, 22);
        processor = fieldsFromState.length > PROCESSOR - 3 ? (int) number(fieldsFromState, PROCESSOR) : -1;
    }

    /** @param field counted from 1 as in proc(5), where the state is the third */
    private static long number(String[] fieldsFromState, int field) {
        return Long.parseLong(fieldsFromState[field - 3]);
    }

    /** Returns null for null, and for a line that is cut short. */
    static ProcStat parse(String line) {
        if (line == null) {
            return null;
        }
        // The command in parentheses may contain blanks and parentheses itself.
        int commandEnd = line.lastIndexOf(')');
        String[] fields = commandEnd < 0
                ? new String[0]
                : line.substring(commandEnd + 1).trim().split(" ");
        try {
            return fields.length > 22 - 3 ? new ProcStat(fields) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    long minorFaults() {
        return minorFaults;
    }

    long majorFaults() {
        return majorFaults;
    }

    long userTicks() {
        return userTicks;
    }

    long systemTicks() {
        return systemTicks;
    }

    long startTicks() {
        return startTicks;
    }

    /** Returns the processor that its first thread ran on last; -1 where the kernel does not say. */
    int processor() {
        return processor;
    }

    /** Whether it has ended and only waits for its parent to take note. */
    boolean isDead() {
        return state == 'Z' || state == 'X';
    }
}
