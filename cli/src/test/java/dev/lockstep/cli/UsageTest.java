package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a wrong command line is answered with: exit code 2 and one line. */
final class UsageTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--targts c2 x.bin | unknown option --targts; did you mean --targets or --targets-file?",
                "--targets c2 a.bin b.bin | unknown argument b.bin",
                "--targets | missing required parameter for option '--targets' (TARGETS)",
                "-n x a.bin | -n: expected a whole number, found 'x'",
                "-n 0 a.bin | -n: expected at least 1 request, found 0",
                "-c 0 a.bin | -c: expected 1 to 1000000 connections, found 0",
                "-c 100 -n 10 a.bin | -n 10 is less than -c 100: there must be at least one request for each connection",
                "-z 10 a.bin | -z: expected a duration such as 10s, 500ms, 2m or " + "1h30m, found '10'",
                "-z 0 a.bin | -z: expected a duration above 0, found 0",
                "-q 0 a.bin | -q: expected a number of requests per second above 0, " + "found '0'",
                "-q 100 --pace max a.bin | -q and --pace both set the pace; leave one out",
                "--speed 2x --pace max a.bin | --speed scales the recorded pace, but --pace sets another; leave one out",
                "--speed 2x -q 9 a.bin | --speed scales the recorded pace, but -q sets another; leave one out",
                "--speed 2x -c 9 a.bin | --speed scales the recorded pace, but -c alone means as fast as possible; add "
                        + "--pace recorded or leave one out",
                "--speed x a.bin | --speed: expected a factor such as 2x or 0.5x, " + "found 'x'",
                "--pace fast a.bin | --pace: expected recorded, max or a rate such as " + "2000/s, found 'fast'",
                "--memory 128 a.bin | --memory: expected an amount of memory with its "
                        + "unit such as 128m or 1g, found '128'",
                "--rounds 0 a.bin | --rounds: expected 1 to 1000000, found 0",
                "--schedule x a.bin | --schedule: expected together or alternate, found 'x'",
                "--rounds 2 --schedule together a.bin | --rounds goes with --schedule alternate, found together; leave one "
                        + "out",
                "--targets c2 | the capture file is missing: replay --targets c2,graal capture.bin",
            })
    void tellsWhatIsWrongInOneLine(String args, String message) {
        TestingCommandLine line = new TestingCommandLine();

        int exitCode = line.execute(args.split(" "));

        assertEquals("replay: " + message + "; see replay --help\n", line.err());
        assertEquals("", line.out());
        assertEquals(ExitCode.USAGE, exitCode);
    }

    @Test
    void pointsToTheHelpOfTheSubcommand() {
        TestingCommandLine line = new TestingCommandLine();

        assertEquals(ExitCode.USAGE, line.execute("record", "--listen", "127.0.0.1:0"));

        assertEquals(
                "replay: --listen: expected --upstream beside it, found none; see replay record --help\n", line.err());
    }

    @Test
    void readsValuesBehindAnEqualsSignToo() {
        TestingCommandLine line = new TestingCommandLine();

        assertEquals(ExitCode.USAGE, line.execute("--targets=c2", "--pace=fast", "x.bin"));

        assertTrue(line.err().startsWith("replay: --pace: expected "), line.err());
    }

    @Test
    void printsHelpOnStandardOutput() {
        TestingCommandLine line = new TestingCommandLine();

        assertEquals(ExitCode.DONE, line.execute("--help"));

        assertTrue(line.out().startsWith("Usage: replay "), line.out());
        assertEquals("", line.err());
    }
}
