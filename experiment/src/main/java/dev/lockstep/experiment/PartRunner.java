package dev.lockstep.experiment;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What carries out the parts of an experiment. Used by one thread. */
public interface PartRunner {
    /** What came of a part. Immutable. */
    final class Outcome {
        private final int exitCode;
        private final String message;
        private final boolean late;

        /** @param message what was printed as its error, one line; empty for none */
        public Outcome(int exitCode, String message) {
            this(exitCode, message, false);
        }

        /** @param late whether it failed since a target that was started was not ready in time */
        public Outcome(int exitCode, String message, boolean late) {
            this.exitCode = exitCode;
            this.message = message;
            this.late = late;
        }

        public int exitCode() {
            return exitCode;
        }

        public String message() {
            return message;
        }

        boolean isLate() {
            return late;
        }
    }

    /** Returns why a part cannot run here, for people: no such JVM, no such program. Absent where it can. */
    Optional<String> whyNot(Part part, List<Service> services);

    /** Carries out a program, as {@link #run} a command: program first, {@code <log>.txt} takes what it prints. */
    Outcome execute(List<String> words, Path log);

    /**
     * Carries out a part.
     *
     * @param words of the command, complete
     * @param log takes what it prints: {@code <log>.txt} its result, {@code <log>.log} how it went
     */
    Outcome run(List<String> words, Path log);

    /**
     * Starts services, and returns what their placeholders stand for; {@link #stop} stops them.
     *
     * @throws ExperimentException where one does not start
     */
    Map<String, String> start(List<Service> services, Path folder);

    /** Stops all services, and says of one that had ended by itself why its part tells nothing. */
    Optional<String> stop();

    /** Returns what a definition's other late placeholders stand for. */
    Map<String, String> places();

    /** Returns about how long a command takes, in ns; absent where that is not known. */
    OptionalLong plannedNs(List<String> words);

    /** Whether the user asked for the end. */
    boolean isInterrupted();
}
