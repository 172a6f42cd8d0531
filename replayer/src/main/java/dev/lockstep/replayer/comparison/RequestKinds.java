package dev.lockstep.replayer.comparison;

import dev.lockstep.replayer.requests.RequestNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The kinds of all compared requests, and what varies among the baseline program's answers to each. Immutable. */
final class RequestKinds {
    private static final int MOST = 2000;

    private final List<RequestKind> kinds = new ArrayList<>();
    private final int[] kindOf;

    /**
     * @param measured the baseline's answers that the others' are compared with
     * @param learned its answers before that, pass by pass; may be none
     * @param same what the same program answered in another process, or null; where it answered most of a kind, its
     *     differences are the noise, for they hold that of one process too
     */
    RequestKinds(RequestNames names, AnswerLog measured, AnswerLog[] learned, AnswerLog same) {
        kindOf = new int[measured.requests];
        sort(names);
        for (int i = 0; i < kindOf.length; i++) {
            of(i).hear(measured.outcome(i));
        }
        if (same != null) {
            pairProcesses(same, measured);
        }
        // Where that one died before it answered most, the baseline's own answers tell as well.
        long[] requests = new long[kinds.size()];
        for (int kind : kindOf) {
            requests[kind]++;
        }
        Set<RequestKind> paired = new HashSet<>();
        for (int i = 0; i < requests.length; i++) {
            if (2 * kinds.get(i).pairs() >= requests[i]) {
                paired.add(kinds.get(i));
            }
        }
        for (int pass = 0; pass < learned.length; pass++) {
            pair(learned[pass], pass + 1 < learned.length ? learned[pass + 1] : measured, paired);
        }
        RequestKind all = new RequestKind("all");
        kinds.forEach(all::add);
        kinds.forEach(kind -> kind.judgeBy(all));
    }

    private void sort(RequestNames names) {
        Map<String, Integer> numbers = new HashMap<>();
        for (int i = 0; i < kindOf.length; i++) {
            String name = names.kind(i);
            if (!numbers.containsKey(name) && kinds.size() >= MOST) {
                name = name.substring(0, name.indexOf(' ') + 1) + "(other paths)";
            }
            Integer number = numbers.get(name);
            if (number == null) {
                number = kinds.size();
                numbers.put(name, number);
                kinds.add(new RequestKind(name));
            }
            kindOf[i] = number;
        }
    }

    private void pairProcesses(AnswerLog same, AnswerLog measured) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < same.requests; i++) {
            // That it failed says nothing of what its program answers.
            if (same.outcome(i) < AnswerLog.FAILED && AnswerParts.areKnown(same, measured, i)) {
                RequestKind kind = of(i);
                kind.hear(same.outcome(i));
                AnswerParts.differing(same, measured, i, parts);
                kind.pair(parts);
            }
        }
    }

    /** @param paired kinds whose noise is known already */
    private void pair(AnswerLog earlier, AnswerLog later, Set<RequestKind> paired) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < earlier.requests; i++) {
            RequestKind kind = of(i);
            kind.hear(earlier.outcome(i));
            if (!paired.contains(kind) && AnswerParts.areKnown(earlier, later, i)) {
                AnswerParts.differing(earlier, later, i, parts);
                kind.pair(parts);
            }
        }
    }

    /** How many requests are compared, from the first on. */
    int requests() {
        return kindOf.length;
    }

    RequestKind of(int request) {
        return kinds.get(kindOf[request]);
    }

    /** How many pairs of the baseline program's answers were looked at. */
    long pairs() {
        return kinds.stream().mapToLong(RequestKind::pairs).sum();
    }
}
