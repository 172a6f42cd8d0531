package dev.lockstep.redaction;

import java.util.ArrayList;
import java.util.List;

/** Which fields of which Thrift functions' arguments are secret. Immutable; any thread. */
final class ThriftRules {
    /** The most paths there may be: one bit each. */
    static final int MOST_PATHS = 64;

    private final NameSet functions;
    private final List<int[]> paths;

    /**
     * Creates rules.
     *
     * @param functions the functions' names; bit i is set where path i is one of that function
     * @param paths field ids from the arguments down
     */
    ThriftRules(NameSet functions, List<int[]> paths) {
        this.functions = functions;
        this.paths = new ArrayList<>(paths);
    }

    boolean isEmpty() {
        return paths.isEmpty();
    }

    /**
     * Returns the paths that hold for a function, as bits; a multiplexed service before a colon may stand in a rule or
     * not.
     */
    long of(byte[] name, int length) {
        long found = functions.bitsOf(name, 0, length);
        for (int i = 0; i < length; i++) {
            if (name[i] == ':') {
                found |= functions.bitsOf(name, i + 1, length);
            }
        }
        return found;
    }

    /** Returns those of some paths that have this field id at a level, counted from 0. */
    long step(long among, int level, int id) {
        long found = 0;
        for (long left = among; left != 0; left &= left - 1) {
            int path = Long.numberOfTrailingZeros(left);
            int[] ids = paths.get(path);
            if (level < ids.length && ids[level] == id) {
                found |= 1L << path;
            }
        }
        return found;
    }

    /** Whether one of some paths ends at a level. */
    boolean isComplete(long among, int level) {
        for (long left = among; left != 0; left &= left - 1) {
            if (paths.get(Long.numberOfTrailingZeros(left)).length == level + 1) {
                return true;
            }
        }
        return false;
    }
}
