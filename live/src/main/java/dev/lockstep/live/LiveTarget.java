package dev.lockstep.live;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.measurement.Cost;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.run.RunPhase;
import java.util.OptionalLong;

/** How far one target is, and what it did in the last second. Used by one thread at a time. */
final class LiveTarget {
    private static final String FAILED = "did not start";
    private static final double NS_PER_SEC = 1e9;
    private static final double NS_PER_MS = 1e6;
    private static final double PERCENT = 100;

    private final String name;
    private String state = "not started yet";
    private int launch;
    private IntervalFigures last;

    LiveTarget(String name) {
        this.name = name;
    }

    /** Takes the phase that the run begins. */
    void phase(RunPhase phase) {
        boolean ours = phase.target().map(name::equals).orElse(true);
        if (phase.kind() == RunPhase.Kind.START && ours) {
            launch++;
            last = null;
            state = "starting";
        } else if (phase.kind() == RunPhase.Kind.START || state.equals(FAILED)) {
            // Nothing changes for it.
        } else if (ours) {
            state = doing(phase);
        } else if (phase.turn().isPresent() || phase.kind() == RunPhase.Kind.WARM_UP) {
            // It shows what it did in its turn before.
            state = "waits for its turn";
        } else {
            rests();
        }
    }

    private static String doing(RunPhase phase) {
        String round = phase.turn()
                .map(turn -> ", round " + (turn.number() / turn.targets() + 1) + " of " + turn.rounds())
                .orElse("");
        switch (phase.kind()) {
            case WARM_UP:
                return "warm-up";
            case LEARNING:
                return "learning which answers vary";
            case MEASUREMENT:
                return "measured" + round;
            case FULL_LOAD:
                return "full load" + round;
            case PROFILE_START:
                return "starting with a profiler";
            case PROFILE_WARM_UP:
                return "warm-up before its profile";
            case PROFILE:
                return "profiled";
            default:
                return "ending, which completes its profile";
        }
    }

    /** Takes what is said of its warm-up. */
    void says(String progress) {
        state = progress;
    }

    void ready(int number) {
        launch = number;
        state = "ready";
    }

    void failed() {
        state = FAILED;
    }

    /** It gets no load. */
    void rests() {
        last = null;
        if (!state.equals(FAILED) && launch > 0) {
            state = "no load";
        }
    }

    void interval(IntervalFigures figures) {
        last = figures;
    }

    /** Returns it as pages are told it; without what is not known. */
    ObjectNode toNode() {
        ObjectNode node =
                JsonNodeFactory.instance.objectNode().put("state", state).put("launch", launch);
        if (last != null && last.endNs() > last.startNs()) {
            double seconds = (last.endNs() - last.startNs()) / NS_PER_SEC;
            ObjectNode now = node.putObject("now");
            now.put("rate", last.completed() / seconds).put("errors", last.errors() / seconds);
            last.p50Ns().ifPresent(ns -> now.put("p50", ns / NS_PER_MS));
            last.p99Ns().ifPresent(ns -> now.put("p99", ns / NS_PER_MS));
            cost(Cost.APPLICATION_CPU).ifPresent(ns -> now.put("appCpu", PERCENT * ns / NS_PER_SEC / seconds));
            cost(Cost.JIT_CPU).ifPresent(ns -> now.put("jitCpu", PERCENT * ns / NS_PER_SEC / seconds));
            OptionalLong group = cost(Cost.MEMORY);
            (group.isPresent() ? group : cost(Cost.RSS)).ifPresent(bytes -> now.put("memory", bytes));
        }
        return node;
    }

    private OptionalLong cost(Cost cost) {
        return last.costs().get(cost);
    }
}
