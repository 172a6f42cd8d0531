package dev.lockstep.livetests;

import java.util.ArrayList;
import java.util.List;

/** A call as its client made it, or as it was found in a capture. */
final class Call {
    static final String SERVICE = "Live";

    private static final String[] FUNCTIONS = {
        "ping", "echo", "add", "log", "log", "echo", "nested", "fail", "missing", "log", "ping"
    };

    /** How many calls a client makes that is not multiplexed. */
    static final int COUNT = FUNCTIONS.length;

    final String name;
    final boolean oneway;
    final int sequenceId;

    Call(String name, boolean oneway, int sequenceId) {
        this.name = name;
        this.oneway = oneway;
        this.sequenceId = sequenceId;
    }

    /** Returns the calls that every client of ours makes. */
    static List<Call> expected(Combination client) {
        List<Call> calls = new ArrayList<>();
        for (String function : FUNCTIONS) {
            if (function.equals("missing") && client.multiplexed) {
                // thriftpy2's multiplexed server closes the connection then.
                continue;
            }
            String name = client.multiplexed ? SERVICE + ":" + function : function;
            // thriftpy2 does not count its calls.
            int sequenceId = client.library == Library.THRIFTPY2 ? 0 : calls.size() + 1;
            calls.add(new Call(name, function.equals("log"), sequenceId));
        }
        return calls;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Call && other.toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return name + (oneway ? " oneway " : " ") + sequenceId;
    }
}
