package dev.lockstep.run;

import dev.lockstep.results.Drift;
import dev.lockstep.results.IntervalFigures;
import dev.lockstep.results.RunResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Hands the events of a run to its listeners, each on a thread of its own; see {@link RunListener}. Used by the run's
 * thread, which never waits but in {@link #settle} and {@link #close}.
 */
final class Listeners implements RunListener, AutoCloseable {
    /** From so many waiting events on, a listener gets no intervals. */
    static final int MOST_WAITING = 10_000;

    private enum Kind {
        /** Always handed on. */
        LASTING,
        /** Left out of a queue that is too long. */
        INTERVAL,
        /** Replaced by the next of its kind. */
        PROGRESS,
        STATUS
    }

    private static final class Event {
        final Kind kind;
        final Consumer<RunListener> call;

        Event(Kind kind, Consumer<RunListener> call) {
            this.kind = kind;
            this.call = call;
        }
    }

    /** One listener, its thread, and what waits for it. */
    private static final class Post {
        private final RunListener listener;
        private final Thread thread;
        private final Deque<Event> waiting = new ArrayDeque<>();
        private boolean busy;
        private boolean closed;
        private Throwable failure;

        Post(RunListener listener, int number) {
            this.listener = listener;
            thread = new Thread(this::deliver, "lockstep-listener-" + number);
            // A listener that never returns must not keep the process.
            thread.setDaemon(true);
            thread.start();
        }

        synchronized void add(Event event) {
            Event last = waiting.peekLast();
            if (event.kind == Kind.INTERVAL && waiting.size() >= MOST_WAITING) {
                return;
            }
            if (event.kind.compareTo(Kind.INTERVAL) > 0 && last != null && last.kind == event.kind) {
                waiting.removeLast();
            }
            waiting.addLast(event);
            notifyAll();
        }

        private void deliver() {
            for (Event next = next(); next != null; next = next()) {
                try {
                    next.call.accept(listener);
                } catch (RuntimeException | Error e) {
                    failed(e);
                }
            }
        }

        private synchronized Event next() {
            busy = false;
            notifyAll();
            while (waiting.isEmpty() && !closed) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    // A listener interrupts its own thread, as is the custom for one that caught an interrupt.
                }
            }
            busy = !waiting.isEmpty();
            return waiting.pollFirst();
        }

        private synchronized void failed(Throwable e) {
            if (failure == null) {
                failure = e;
            }
        }

        synchronized Throwable failure() {
            return failure;
        }

        /** Returns whether all was handed over before this time. */
        synchronized boolean settle(long untilNs) {
            while (busy || !waiting.isEmpty()) {
                long leftMs = TimeUnit.NANOSECONDS.toMillis(untilNs - System.nanoTime());
                if (leftMs <= 0) {
                    return false;
                }
                try {
                    wait(leftMs);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
            return true;
        }

        void close(long untilNs) {
            boolean settled = settle(untilNs);
            synchronized (this) {
                closed = true;
                if (!settled) {
                    waiting.clear();
                }
                notifyAll();
            }
            if (!settled) {
                failed(new IllegalStateException("a listener did not take the last events in time"));
                thread.interrupt();
                return;
            }
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private final List<Post> posts = new ArrayList<>();
    private final long graceNs;

    /** @param grace how long the run waits for listeners in all when nothing is measured any more */
    Listeners(List<RunListener> listeners, Duration grace) {
        graceNs = grace.toNanos();
        for (RunListener listener : listeners) {
            posts.add(new Post(listener, posts.size() + 1));
        }
    }

    private void tell(Kind kind, Consumer<RunListener> call) {
        Event event = new Event(kind, call);
        posts.forEach(post -> post.add(event));
    }

    private void tell(Consumer<RunListener> call) {
        tell(Kind.LASTING, call);
    }

    /** Waits until the listeners have heard all that was told. */
    void settle() {
        long untilNs = System.nanoTime() + graceNs;
        posts.forEach(post -> post.settle(untilNs));
    }

    /** Returns the first that each listener threw; after {@link #close}. */
    List<Throwable> failures() {
        List<Throwable> failures = new ArrayList<>();
        for (Post post : posts) {
            if (post.failure() != null) {
                failures.add(post.failure());
            }
        }
        return failures;
    }

    /** Ends the threads, once the listeners have heard all that was told. */
    @Override
    public void close() {
        long untilNs = System.nanoTime() + graceNs;
        posts.forEach(post -> post.close(untilNs));
    }

    @Override
    public void note(String sentence) {
        tell(one -> one.note(sentence));
    }

    @Override
    public void phase(RunPhase phase) {
        tell(one -> one.phase(phase));
    }

    @Override
    public void progress(long elapsedNs, Map<String, Long> answers) {
        tell(Kind.PROGRESS, one -> one.progress(elapsedNs, answers));
    }

    @Override
    public void interval(String target, IntervalFigures figures) {
        tell(Kind.INTERVAL, one -> one.interval(target, figures));
    }

    @Override
    public void status(String line) {
        tell(Kind.STATUS, one -> one.status(line));
    }

    @Override
    public void trends(List<Drift> drifts) {
        tell(one -> one.trends(drifts));
    }

    @Override
    public void phaseEnded() {
        tell(one -> one.phaseEnded());
    }

    @Override
    public void targetFailed(String target, String why) {
        tell(one -> one.targetFailed(target, why));
    }

    @Override
    public void targetReady(ReadyTarget target) {
        tell(one -> one.targetReady(target));
    }

    @Override
    public void launched(List<ReadyTarget> targets) {
        tell(one -> one.launched(targets));
    }

    @Override
    public void launchDone(int done, RunResult soFar) {
        tell(one -> one.launchDone(done, soFar));
    }

    @Override
    public void measured(RunResult result, boolean last) {
        tell(one -> one.measured(result, last));
    }

    @Override
    public void profiled(RunResult result) {
        tell(one -> one.profiled(result));
    }
}
