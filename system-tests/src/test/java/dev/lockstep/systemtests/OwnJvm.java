package dev.lockstep.systemtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.TestingCommandLine;
import java.util.List;

/** Commands that run in the test's JVM, where a process of its own, which costs two seconds of CPU, shows no more. */
final class OwnJvm {
    private static String doctor;

    private OwnJvm() {}

    /** What {@code replay doctor} says of this machine, which is asked for once. */
    static synchronized String doctor() {
        if (doctor == null) {
            doctor = run("doctor");
        }
        return doctor;
    }

    /** Runs a command and returns what it printed. */
    static String run(String... arguments) {
        TestingCommandLine line = new TestingCommandLine();
        assertEquals(0, line.execute(arguments), () -> String.join(" ", arguments) + ": " + line.err());
        return line.out();
    }

    /** Expects the exit code and one line of error with all of the words. */
    static void assertRefused(int exitCode, List<String> arguments, String... words) {
        TestingCommandLine line = new TestingCommandLine();
        assertEquals(exitCode, line.execute(arguments.toArray(new String[0])), line::err);
        assertEquals(1, line.err().lines().filter(one -> !one.isBlank()).count(), line.err());
        for (String word : words) {
            assertTrue(line.err().contains(word), "\"" + word + "\" expected in: " + line.err());
        }
        assertEquals("", line.out());
    }
}
