package dev.lockstep.replayer.comparison;

import dev.lockstep.replayer.requests.RequestNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The kinds of all compared requests, and what varies among the baseline's own answers to each. Immutable. */
final class RequestKinds {
    private static final int MOST = 2000;

    private final List<RequestKind> kinds = new ArrayList<>();
    private final int[] kindOf;

    /**
     * @param measured the baseline's answers that the others' are compared with
     * @param learned its answers before that, pass by pass; may be none
     */
    RequestKinds(RequestNames names, AnswerLog measured, AnswerLog[] learned) {
        kindOf = new int[measured.requests];
        sort(names);
        for (int i = 0; i < kindOf.length; i++) {
            of(i).hear(measured.outcome(i));
        }
        for (int pass = 0; pass < learned.length; pass++) {
            pair(learned[pass], pass + 1 < learned.length ? learned[pass + 1] : measured);
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

    private void pair(AnswerLog earlier, AnswerLog later) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < earlier.requests; i++) {
            RequestKind kind = of(i);
            kind.hear(earlier.outcome(i));
            if (AnswerParts.areKnown(earlier, later, i)) {
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

    /** How many pairs of the baseline's own answers were looked at. */
    long pairs() {
        return kinds.stream().mapToLong(RequestKind::pairs).sum();
    }
}
