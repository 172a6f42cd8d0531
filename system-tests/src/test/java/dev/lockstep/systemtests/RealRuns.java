package dev.lockstep.systemtests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** What tests of runs on real JVMs share: a folder of their own, and that a run leaves no process and no control group. */
abstract class RealRuns {
    /** How late this side was is not the subject: machines of tests are busy. */
    static final String ANY_LAG = "--max-lag=10s";

    @TempDir
    Path directory;

    /** The run that the test looks at; ended after it. */
    Replay replay;

    @AfterEach
    void leavesNothing() throws Exception {
        if (replay != null) {
            replay.close();
            replay.assertNothingLeft();
        }
    }

    /** Replays the sample with these options into {@link #run()}, to its end. */
    void replaySample(String... options) throws Exception {
        startSample(options);
        replay.exitCode();
    }

    /** As {@link #replaySample}, without waiting. */
    void startSample(String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("-o", "run", Replay.SAMPLE.toString()));
        replay = Replay.start(directory, all.toArray(new String[0]));
    }

    /** Returns the run directory. */
    Path run() {
        return directory.resolve("run");
    }

    /** Returns {@code run.json}. */
    JsonNode runJson() throws IOException {
        return new ObjectMapper().readTree(run().resolve("run.json").toFile());
    }
}
