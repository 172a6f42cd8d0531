package dev.lockstep.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lockstep.analysis.LaunchVerdicts;
import dev.lockstep.page.LiveData;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunPlan;
import dev.lockstep.results.RunResult;
import dev.lockstep.results.TargetPlan;
import dev.lockstep.run.ReadyTarget;
import dev.lockstep.run.RunListener;
import dev.lockstep.run.RunPhase;
import dev.lockstep.run.TargetState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * A run as its pages show it. Hears the run on the thread of a listener, and tells each page what it lacks on that of
 * the server: thread-safe.
 */
final class LiveRun implements RunListener, LiveSource {
    /** The newest are shown. */
    private static final int MOST_NOTES = 100;

    private static final double NS_PER_SEC = 1e9;
    private static final double NS_PER_MS = 1e6;

    /** What one page has been told. Its owner's thread. */
    final class Page implements LiveSource.Page {
        private final LiveData.Known data;
        private long change;
        private long interval;
        private long note;
        private long soFar;

        private Page(LiveData.Known data) {
            this.data = data;
        }

        @Override
        public Optional<String> lacks() {
            return tell(this);
        }
    }

    private final LongSupplier clock;
    private final LiveData data;
    private final Map<String, TargetState> targets = new LinkedHashMap<>();
    private final Deque<String> notes = new ArrayDeque<>();
    /** Counts all that changed; the others are its values when each of the larger parts changed last. */
    private long changes = 1;

    private long intervalChange;
    private long noteChange;
    private long soFarChange;

    private RunPhase phase;
    private long phaseBeganNs;
    private String line = "";
    private String directory = "";
    private ObjectNode soFar;
    private ObjectNode over;
    private boolean stopping;
    private boolean concluding;

    /** @param clock monotonic, ns */
    LiveRun(RunPlan plan, LongSupplier clock) {
        this.clock = clock;
        data = new LiveData(plan.targets().stream().map(TargetPlan::name).collect(Collectors.toList()));
        plan.targets().forEach(target -> targets.put(target.name(), new TargetState(target.name())));
    }

    /** @param found the run directory, for people */
    synchronized void writesTo(String found) {
        directory = found;
    }

    @Override
    public synchronized Page open() {
        return new Page(data.nothing());
    }

    private synchronized Optional<String> tell(Page page) {
        if (page.change == changes) {
            return Optional.empty();
        }
        ObjectNode told = JsonNodeFactory.instance.objectNode();
        told.set("now", now());
        if (page.change == 0) {
            told.put("directory", directory);
        }
        if (page.change == 0 || page.interval < intervalChange) {
            told.set("data", data.since(page.data));
        }
        if (page.note < noteChange) {
            ArrayNode messages = told.putArray("messages");
            notes.forEach(messages::add);
        }
        if (page.soFar < soFarChange) {
            told.set("soFar", soFar);
        }
        if (over != null) {
            told.set("over", over);
        }
        page.change = changes;
        page.interval = intervalChange;
        page.note = noteChange;
        page.soFar = soFarChange;
        return Optional.of(told.toString());
    }

    private ObjectNode now() {
        ObjectNode now = JsonNodeFactory.instance.objectNode();
        ObjectNode running = now.putObject("phase");
        running.put("title", phase == null ? "" : phase.title());
        if (phase != null) {
            running.put("elapsedS", (clock.getAsLong() - phaseBeganNs) / NS_PER_SEC);
            phase.lengthNs().ifPresent(ns -> running.put("lengthS", ns / NS_PER_SEC));
            phase.turn().ifPresent(turn -> running.putObject("turn")
                    .put("number", turn.number())
                    .put("targets", turn.targets())
                    .put("rounds", turn.rounds()));
        }
        now.put("line", line).put("stopping", stopping).put("concluding", concluding);
        ArrayNode all = now.putArray("targets");
        targets.values().forEach(target -> all.add(node(target)));
        return now;
    }

    /** Returns a target as pages are told it; without what is not known. */
    private static ObjectNode node(TargetState target) {
        ObjectNode node = JsonNodeFactory.instance
                .objectNode()
                .put("state", target.text())
                .put("launch", target.launch());
        target.last().ifPresent(figures -> {
            ObjectNode now = node.putObject("now");
            target.rate().ifPresent(perSec -> now.put("rate", perSec));
            target.errorRate().ifPresent(perSec -> now.put("errors", perSec));
            figures.p50Ns().ifPresent(ns -> now.put("p50", ns / NS_PER_MS));
            figures.p99Ns().ifPresent(ns -> now.put("p99", ns / NS_PER_MS));
            target.applicationCpu().ifPresent(percent -> now.put("appCpu", percent));
            target.jitCpu().ifPresent(percent -> now.put("jitCpu", percent));
            target.memory().ifPresent(bytes -> now.put("memory", bytes));
        });
        return node;
    }

    // ---- what the run tells -------------------------------------------------------------------------------------

    @Override
    public synchronized void note(String sentence) {
        notes.addFirst(sentence);
        if (notes.size() > MOST_NOTES) {
            notes.removeLast();
        }
        noteChange = ++changes;
    }

    @Override
    public synchronized void phase(RunPhase begun) {
        phase = begun;
        phaseBeganNs = clock.getAsLong();
        line = "";
        targets.values().forEach(target -> target.phase(begun));
        changes++;
    }

    @Override
    public synchronized void progress(long elapsedNs, Map<String, Long> answers) {
        changes++;
    }

    @Override
    public synchronized void status(String status) {
        Optional<String> one = phase == null ? Optional.empty() : phase.target();
        boolean own = one.isPresent() && status.startsWith(one.get() + ": ");
        if (own) {
            targets.get(one.get()).says(status.substring(one.get().length() + 2));
        }
        line = own ? "" : status;
        changes++;
    }

    @Override
    public synchronized void phaseEnded() {
        phase = null;
        line = "";
        targets.values().forEach(TargetState::rests);
        changes++;
    }

    @Override
    public synchronized void interval(String target, IntervalFigures figures) {
        data.add(target, figures);
        targets.get(target).interval(figures);
        intervalChange = ++changes;
    }

    @Override
    public synchronized void targetFailed(String target, String why) {
        targets.get(target).failed();
        note(why);
    }

    @Override
    public synchronized void targetReady(ReadyTarget target) {
        targets.get(target.name()).ready(target.launch());
        note(target.sentence());
    }

    @Override
    public void launchDone(int done, RunResult result) {
        // Outside the lock: it takes a moment, in which pages can be told the rest.
        ObjectNode shown = LiveData.of(result.withVerdicts(LaunchVerdicts.of(result, done, LaunchVerdicts.Blocks.NONE)))
                .put("done", done)
                .put("final", false);
        came(shown);
    }

    @Override
    public void measured(RunResult result, boolean last) {
        came(LiveData.of(result).put("final", true));
    }

    private synchronized void came(ObjectNode shown) {
        soFar = shown;
        soFarChange = ++changes;
    }

    // ---- what the pages ask for, and the end --------------------------------------------------------------------

    synchronized void stops() {
        stopping = true;
        changes++;
    }

    synchronized void concludes() {
        concluding = true;
        changes++;
    }

    /**
     * The run is over, and no page needs to be told anything after this.
     *
     * @param status of its result; null where there is no report
     */
    synchronized void over(String status) {
        phaseEnded();
        over = JsonNodeFactory.instance
                .objectNode()
                .put("report", status != null)
                .put("status", status);
    }

    synchronized boolean isOver() {
        return over != null;
    }
}
