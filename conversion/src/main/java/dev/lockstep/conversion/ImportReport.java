package dev.lockstep.conversion;

import dev.lockstep.recorder.RecordingStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What an import made of its files. Immutable. */
public final class ImportReport {
    /** What was left out, or done in another way than the file says, for one reason. Immutable. */
    public static final class Finding {
        private final String reason;
        private final long count;
        private final List<String> places;

        Finding(String reason, long count, List<String> places) {
            this.reason = reason;
            this.count = count;
            this.places = List.copyOf(places);
        }

        /** Returns the reason, for people. */
        public String reason() {
            return reason;
        }

        /** Returns how often it happened. */
        public long count() {
            return count;
        }

        /** Returns where it happened first, such as {@code line 12}; at most three places. */
        public List<String> places() {
            return places;
        }
    }

    /** Collects findings. For one thread. */
    static final class Findings {
        private static final int PLACES = 3;

        private final Map<String, Long> counts = new LinkedHashMap<>();
        private final Map<String, List<String>> places = new LinkedHashMap<>();

        /** Counts one more; {@code place} may be null. */
        void add(String reason, String place) {
            add(reason, place, 1);
        }

        void add(String reason, String place, long count) {
            counts.merge(reason, count, Long::sum);
            List<String> known = places.computeIfAbsent(reason, unused -> new ArrayList<>());
            if (place != null && known.size() < PLACES) {
                known.add(place);
            }
        }

        List<Finding> list() {
            List<Finding> list = new ArrayList<>();
            counts.forEach((reason, count) -> list.add(new Finding(reason, count, places.get(reason))));
            return Collections.unmodifiableList(list);
        }
    }

    private final ImportFormat format;
    private final RecordingStatus status;
    private final List<Finding> skipped;
    private final List<Finding> changed;
    private final long startEpochNs;
    private final long durationNs;
    private final boolean stopped;

    ImportReport(
            ImportFormat format,
            RecordingStatus status,
            Findings skipped,
            Findings changed,
            long startEpochNs,
            long durationNs,
            boolean stopped) {
        this.format = format;
        this.status = status;
        this.skipped = skipped.list();
        this.changed = changed.list();
        this.startEpochNs = startEpochNs;
        this.durationNs = durationNs;
        this.stopped = stopped;
    }

    /** Returns the format of the files. */
    public ImportFormat format() {
        return format;
    }

    /** Returns what was recorded: connections, requests, bytes, gaps, redactions. */
    public RecordingStatus status() {
        return status;
    }

    /** Returns the entries of the files that are not in the capture, by reason. */
    public List<Finding> skipped() {
        return skipped;
    }

    /** Returns how many entries are not in the capture. */
    public long skippedEntries() {
        return skipped.stream().mapToLong(Finding::count).sum();
    }

    /** Returns what is in the capture, but not as the client sent it, by reason. */
    public List<Finding> changed() {
        return changed;
    }

    /** Returns when the first entry happened, in ns since 1970. */
    public long startEpochNs() {
        return startEpochNs;
    }

    /** Returns the time from the first entry to the last, in ns. */
    public long durationNs() {
        return durationNs;
    }

    /**
     * Tells whether the files were not read to their end, because the capture could take no more. What was read and not
     * recorded is lost by the count of {@link #status()}.
     */
    public boolean stopped() {
        return stopped;
    }
}
