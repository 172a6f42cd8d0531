package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Runs on real JVMs in a folder of the test. After each test no process and no control group may be left. */
abstract class RealRuns {
    /** For runs whose subject is not Lockstep's own lateness: machines of tests are busy. */
    static final String ANY_LAG = "--max-lag=10s";

    @TempDir
    Path directory;

    /** The run that the test looks at; closed after the test. */
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

    /** Asserts that {@code replay report} prints what the run printed, with the same option for its format. */
    void assertReportPrintsTheSame(String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of("report", run().toString()));
        all.addAll(List.of(options));
        assertEquals(replay.stdout(), OwnJvm.run(all.toArray(new String[0])));
    }

    /** The run directory. */
    Path run() {
        return directory.resolve("run");
    }

    JsonNode runJson() throws IOException {
        return new ObjectMapper().readTree(run().resolve("run.json").toFile());
    }
}
