package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.options.Heading;
import dev.lockstep.cli.terminal.Interruption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** What a wrong command line is answered with: exit code 2 and one line. */
final class UsageTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--targts c2 x.bin | unknown option --targts; did you mean --targets or --targets-file?",
                "--tragets c2 x.bin | unknown option --tragets; did you mean --targets?",
                "--tragets=c2 x.bin | unknown option --tragets=c2; did you mean --targets?",
                "--zzz c2 x.bin | unknown option --zzz",
                "--targets c2 a.bin b.bin | unknown argument b.bin",
                "--targets c2 --live 9000 a.bin | unknown argument a.bin; a port goes behind --live with =: --live=9000",
                "--targts c2 --live 9000 a.bin | unknown option --targts; did you mean --targets or --targets-file?",
                "--targets | missing required parameter for option '--targets' (TARGETS)",
                "--targets c2 -o | missing required parameter for option '-o' (DIR)",
                "-o -n 5 a.bin | expected parameter for option '-o' but found '-n'",
                "--directory -n 5 a.bin | expected parameter for option '--directory' but found '-n'",
                "--duration ten a.bin | --duration: expected a duration such as 10s, 500ms, 2m or 1h30m, found 'ten'",
                "--targets prod=https://me:s3cret@shop.test a.bin | --targets: expected no user and password in an "
                        + "address; give -H 'Authorization: ...'",
                "--targets me:s3cret@shop.test:80 a.bin | --targets: expected no user and password in an address; give "
                        + "-H 'Authorization: ...'",
                "--targets c2 --cores 0 a.bin | --cores 0: '0' has no name before its processors; write for example "
                        + "replayer=0/targets=1-3",
                "--targets c2 --force a.bin | --force: expected -o DIR beside it, found none; a run without it has a "
                        + "directory of its own",
                "-c 50 localhost:8080/users | CAPTURE: expected a capture file or a URL, found an address without "
                        + "http://; did you mean http://localhost:8080/users?",
                "--targets c2 shop.test/a?key=s3cret | CAPTURE: expected a capture file or a URL, found an address "
                        + "without http://; did you mean http://shop.test/a?...?",
                "--targets http://u:p,w@shop.test a.bin | --targets: expected no user and password in an address; give "
                        + "-H 'Authorization: ...'",
                "-n x a.bin | -n: expected a whole number, found 'x'",
                "-c 5000000000 a.bin | -c: expected a whole number of at most 2147483647, found '5000000000'",
                "-n 0 a.bin | -n: expected at least 1 request, found 0",
                "-c 0 a.bin | -c: expected 1 to 1000000 connections, found 0",
                "-c 100 -n 10 a.bin | -n 10 is less than -c 100: there must be at least one request for each connection",
                "-z ten a.bin | -z: expected a duration such as 10s, 500ms, 2m or " + "1h30m, found 'ten'",
                "-t4 -c100 -d10s http://h/ | -d: expected the body of a request, as hey and curl take it, found '10s', "
                        + "which is a time; did you mean -z 10s? And -t is the time allowed for an answer, not wrk's "
                        + "threads. A body that reads so goes into a file, -D FILE",
                "-d 10 a.bin | -d: expected the body of a request, as hey and curl take it, found '10', which is a time; "
                        + "did you mean -z 10? A body that reads so goes into a file, -D FILE",
                "-d a=b a.bin | -d: expected a URL such as http://127.0.0.1:8080/path, whose request it changes; "
                        + "requests of a capture are sent as recorded",
                "-m PUT a.bin | -m: expected a URL such as http://127.0.0.1:8080/path, whose request it changes; "
                        + "requests of a capture are sent as recorded",
                "-R 2000 http://h/ | unknown option -R; did you mean -q?",
                "-X POST http://h/ | unknown option -X; did you mean -m?",
                "--latency http://h/ | unknown option --latency; percentiles are always printed",
                "-x 127.0.0.1:3128 http://h/ | unknown option -x; requests go to the server itself, through no proxy",
                "-s a.lua http://h/ | unknown option -s; scripts of wrk are not run; requests that differ come from a "
                        + "capture",
                "-h2 -c 2 http://h/ | -h2: a URL is asked by HTTP/1.1; HTTP/2 is replayed from a capture",
                "-o csv http://h/ | -o: expected a run directory, found hey's csv; each run directory has a summary.csv, "
                        + "which report --csv prints; ./csv would be a directory",
                "replay a.bin | unknown argument a.bin; leave out the word replay before it",
                "replay --targets c2 a.bin | unknown argument a.bin; leave out the word replay before it",
                "ftp://me:p?w/@h/a?k=v | expected a URL such as http://127.0.0.1:8080/path or https://..., found "
                        + "'ftp://...'",
                "ftp://h/a | expected a URL such as http://127.0.0.1:8080/path or https://..., found 'ftp://h/a'",
                "http:///a?k=v | expected a URL such as http://127.0.0.1:8080/path or https://..., found 'http:///a?...'",
                "http://h/ä | expected a URL with blanks and other than ASCII characters written as %20 and the "
                        + "like, found 'http://h/ä'",
                "http://me:pass@h/ | expected a URL without a user and password; give them with -H 'Authorization: Basic "
                        + "...'",
                "-d @a.json http://h/ | -d: expected the body itself, found '@a.json'; a file is given with -D a.json",
                "-d a -D b http://h/ | -d and -D both give the body; leave one out",
                "-m P/T http://h/ | -m: expected a method such as POST, found 'P/T'",
                "-H a http://h/ | --set-header: expected 'Name: value', or 'Name:' to remove it, found 'a'",
                "--pace recorded http://h/ | --pace recorded goes with a capture, found a URL, which has no recorded "
                        + "times; say -q, or another --pace",
                "--speed 2x http://h/ | --speed goes with a capture, found a URL, which has no recorded times; say -q, or "
                        + "another --pace",
                "--allow-truncated http://h/ | --allow-truncated: expected a capture file, found a URL; leave it out",
                "http://h:99999/ | the URL: expected [NAME=]HOST:PORT with a port from 1 to 65535, such as "
                        + "prod=127.0.0.1:8080 or prod=https://[::1]:8443, found 'http://h:99999'",
                "-z 0 a.bin | -z: expected a duration above 0, found 0",
                "--warmup ten a.bin | --warmup: expected auto or a duration such as 10s, 500ms, 2m or 1h30m, found 'ten'",
                "--warmup 3s --warmup-limit 1m a.bin | --warmup-limit goes with --warmup auto, found a warm-up of a "
                        + "fixed time; leave one out",
                "--warmup-limit 0 a.bin | --warmup-limit: expected a duration above 0, found 0",
                "--warmup-pace fast a.bin | --warmup-pace: expected max or recorded, found 'fast'",
                "-z 1h --soak 1h a.bin | -z and --soak both set the duration; leave one out",
                "-n 9 --soak 1h a.bin | -n and --soak both say when the run ends; leave one out",
                "--soak 0 a.bin | --soak: expected a duration above 0, found 0",
                "-q 0 a.bin | -q: expected a number of requests per second above 0, " + "found '0'",
                "-q 100 --pace max a.bin | -q and --pace both set the pace; leave one out",
                "--speed 2x --pace max a.bin | --speed scales the recorded pace, but --pace sets another; leave one out",
                "--speed 2x -q 9 a.bin | --speed scales the recorded pace, but -q sets another; leave one out",
                "--speed 2x -c 9 a.bin | --speed scales the recorded pace, but -c alone means as fast as possible; add "
                        + "--pace recorded or leave one out",
                "--speed x a.bin | --speed: expected a factor such as 2x or 0.5x, " + "found 'x'",
                "--pace fast a.bin | --pace: expected recorded, RATE/s, poisson:RATE/s[:seed=N], "
                        + "ramp:RATE/s..RATE/s:DURATION, steps:RATE/s:DURATION,..., closed[:DURATION] or max, found \"fast\"",
                "--pace poisson:9/s:seed=9999999999999999999 a.bin | --pace: expected a seed that fits 64 bits, found "
                        + "9999999999999999999",
                "--pace ramp:1/s..5/s a.bin | --pace: expected ramp:RATE/s..RATE/s:DURATION, for example "
                        + "ramp:100/s..5000/s:60s, found \"ramp:1/s..5/s\"",
                "--memory 128 a.bin | --memory: expected an amount of memory with its "
                        + "unit such as 128m or 1g, found '128'",
                "--memory 1k --targets c2 a.bin | --memory: expected at least 1m, found 1k",
                "--memory 0m --targets c2 a.bin | --memory: expected at least 1m, found 0 bytes",
                "--otlp collector:4318 a.bin | --otlp: expected a URL like http://127.0.0.1:4318, found something else",
                "--otlp http://me:secret@collector:4318 a.bin | --otlp: expected a URL of host, port and path;"
                        + " credentials belong into OTEL_EXPORTER_OTLP_HEADERS",
                "--metrics x a.bin | --metrics: expected a port from 0 to 65535, or HOST:PORT, found 'x'",
                "--live=x a.bin | --live: expected a port from 0 to 65535, or HOST:PORT, found 'x'",
                "--metrics 65536 a.bin | --metrics: expected a port from 0 to 65535, or HOST:PORT, found '65536'",
                "--rounds 0 a.bin | --rounds: expected 1 to 1000000, found 0",
                "--schedule x a.bin | --schedule: expected together or alternate, found 'x'",
                "--rounds 2 --schedule together a.bin | --rounds goes with --schedule alternate, found together; leave one "
                        + "out",
                "--targets c2,graal --compare-noise none a.bin | --compare-noise: expected --compare beside it, found none",
                "--targets c2,graal --compare-ignore ETag a.bin | --compare-ignore: expected --compare beside it, found none",
                "--targets c2,graal --compare --compare-noise x a.bin | --compare-noise: expected learn or none, found 'x'",
                "--targets c2,graal --compare --compare-ignore A:B a.bin | --compare-ignore: expected the name of a "
                        + "header, found 'A:B'",
                "--targets c2 --compare a.bin | --compare: expected at least two targets, whose answers are compared, found "
                        + "one",
                "--compare --targets c2 a.bin | --compare: expected at least two targets, whose answers are compared, found "
                        + "one",
                "a.bin = | unknown argument =",
                "--launches 0 --targets c2 a.bin | --launches: expected 1 to 1000, found 0",
                "--launches 6 --quick --targets c2 a.bin | --quick and --launches 6 all say how many launches there are; "
                        + "leave one out",
                "--verdict --quick --launches 6 --targets c2 a.bin | --verdict and --quick and --launches 6 all say how "
                        + "many launches there are; leave all but one out",
                "--verdict --targets c2 a.bin | --verdict: expected at least two targets, which are compared, found one",
                "--max-launches 8 --targets c2,graal a.bin | --max-launches: expected --verdict beside it, found none",
                "--verdict --max-launches 5 --targets c2,graal a.bin | --max-launches: expected 6 to 1000, found 5",
                "--verdict --soak 1h --targets c2,graal a.bin | --verdict: a soak run launches each target once, found "
                        + "--soak beside it; leave one of them out",
                "--launches 6 --soak 1h --targets c2 a.bin | --launches 6: a soak run launches each target once, found "
                        + "--soak beside it; leave one of them out",
                "--quick --soak 1h --targets c2 a.bin | --quick: a soak run launches each target once, found --soak "
                        + "beside it; leave one of them out",
                "--primary userCpuPerRequest --targets c2,p=127.0.0.1:9 http://h/ | --primary userCpuPerRequest: expected "
                        + "a metric of the load such as p50, p99 or throughput, since p runs already and nobody knows "
                        + "what it costs, unless its targets file says where its metrics are (docs/targets.md)",
                "--assert p.rss<=1GiB --targets c2,p=127.0.0.1:9 http://h/ | --assert 'p.rss<=1GiB': rss: expected a "
                        + "metric of the load such as p50, p99 or throughput, since p runs already and nobody knows "
                        + "what it costs, unless its targets file says where its metrics are (docs/targets.md)",
                "--targets c2 --profile-duration 5s a.bin | --profile-duration: expected --profile beside it, found none",
                "--targets c2 --profile --profile-duration 0 a.bin | --profile-duration: expected a duration above 0, "
                        + "found 0",
                "--targets a=127.0.0.1:1 --profile a.bin | --profile: all targets run already, and only a JVM that "
                        + "Lockstep starts can be profiled; name a profile or a command, or leave it out",
                "--targets c2 --profile -o /nonexistent/a,b a.bin | --profile: /nonexistent/a,b: expected a path without "
                        + "blanks, quotes, backslashes and , % =, which the JVM options of profilers cannot name; choose "
                        + "another run directory with -o",
                "--primary cpu --targets c2 a.bin | --primary: expected one of cpuPerRequest, steadyCpuPerRequest, appCpuPerRequest, "
                        + "jitCpuPerRequest, gcCpuPerRequest, userCpuPerRequest, systemCpuPerRequest, p50, p90, p95, "
                        + "p99, p999, mean, serviceP50, serviceP90, serviceP95, serviceP99, serviceP999, "
                        + "serviceMean, throughput, errors, gcCycles, gcPause, "
                        + "allocatedBytesPerRequest, oldGenUsed, rss, memoryPeak, startup, jitCpu, "
                        + "warmupTime, warmupCpu, fullLoadCpuPerRequest, firstMinuteCpu, found 'cpu'",
                "--baseline x --targets c2,graal a.bin | --baseline: expected one of the targets c2, graal, found 'x'",
                "--margin 0 a.bin | --margin: expected a share above 0 and below 1 such as 1% or 0.01, found '0'",
                "--margin 100% a.bin | --margin: expected a share above 0 and below 1 such as 1% or 0.01, found '100%'",
                "--cost core-year=127,cores=24 a.bin | --cost: expected three amounts above 0 such as core-year=127,"
                        + "cores=24,servers=10000, found 'core-year=127,cores=24'",
                "--cost core-year=127,cores=24,servers=0 a.bin | --cost: expected three amounts above 0 such as core-year=127,"
                        + "cores=24,servers=10000, found 'core-year=127,cores=24,servers=0'",
                "--aa --targets c2,c2-aa=c2 a.bin | --aa: the second instance of c2 is named c2-aa, and so is a target; "
                        + "name that otherwise",
                "--aa --targets p=127.0.0.1:9 a.bin | --aa: target p runs already, and Lockstep cannot start a second "
                        + "instance of it; name its address twice, as a=HOST:PORT,b=HOST:PORT",
                "--targets c2 --tls-cert c a.bin | --tls-cert: expected --tls-key beside it, found none",
                "--targets c2 --tls-key k a.bin | --tls-key: expected --tls-cert beside it, found none",
                "--targets c2 | the capture file is missing: replay --targets c2,graal capture.bin",
                "reprot | unknown command 'reprot'; did you mean report?",
                "reprot --json runs/a | unknown command 'reprot'; did you mean report?",
                "filtr a.bin --method GET -o b.bin | unknown command 'filtr'; did you mean filter?",
                "hepl | unknown command 'hepl'; did you mean help?",
                "xport a.bin | unknown command 'xport'; did you mean export?",
                "list | 'list': expected a command, a capture file or a URL, found none of them; the commands are record, "
                        + "import, export, inspect, filter, verify, report, compare, tune, experiment, recover, doctor, "
                        + "completion, help",
            })
    void tellsWhatIsWrongInOneLine(String args, String message) {
        TestingCommandLine line = new TestingCommandLine();

        int exitCode = line.execute(args.split(" "));

        String see = message.endsWith("?") ? " See " : "; see ";
        assertEquals("replay: " + message + see + "replay --help\n", line.err());
        assertEquals("", line.out());
        assertEquals(ExitCode.USAGE, exitCode);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "export a.bin -o -",
                "filter a.bin -o -",
                "import a.pcap -o -",
                "record --listen 127.0.0.1:0 --upstream 127.0.0.1:27601 -o -"
            })
    void writesNoCaptureToStandardOutput(String args) {
        TestingCommandLine line = new TestingCommandLine();

        assertEquals(ExitCode.USAGE, line.execute(args.split(" ")));
        assertTrue(line.err().startsWith("replay: -o: expected a file, found '-'; "), line.err());
    }

    /** As a capture that is missing: what is typed is right, and may work tomorrow. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--targets c2 none.bin | none.bin: no such file; a capture is made by \"replay record\"",
                "none.bin | none.bin: no such file; a capture is made by \"replay record\"",
                "-q 20 none/captures | none/captures: no such file; a capture is made by \"replay record\"",
                "--targets c2 -o report --jvm-options -Dx=1 none.bin | none.bin: no such file; a capture is made by "
                        + "\"replay record\"",
                "filter a.bin -o b.bin --encrypt-key-file none | --encrypt-key-file: none: no such file; expected a key "
                        + "of 32 bytes",
                "--targets-file none.yaml a.bin | none.yaml: no such targets file",
                "-D none http://h/ | -D: none: expected a file with the body, found none",
                "--targets c2 --key-file none a.bin | --key-file: none: no such file; expected a key of 32 bytes",
                "--targets a=https://127.0.0.1:9 --tls-ca none.pem a.bin | cannot read none.pem: no such file; check the "
                        + "path",
                "import none.pcap -o a.bin | none.pcap: no such file",
                "P --upstream-tls --upstream-ca none.pem | cannot read none.pem: no such file; check the path",
                "P --tls-cert none.pem --tls-key k | cannot read none.pem: no such file; check the path",
                "P --redact none.yaml | none.yaml: no such file of redaction rules",
                "P --redact-key-file none | none: no such key file",
                "P --key-file none | --key-file: none: no such file; expected a key of 32 bytes",
            })
    void hasFailedWhereAFileIsMissingWhateverItIsFor(String args, String message) {
        TestingCommandLine line = new TestingCommandLine();

        int exitCode = line.execute(
                args.replaceFirst("^P", "record -o /nonexistent/a.bin --listen 127.0.0.1:0 --upstream 127.0.0.1:27601")
                        .split(" "));

        assertEquals("replay: " + message + "\n", line.err());
        assertEquals(ExitCode.FAILED, exitCode);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "P --upstream-ca none.pem | --upstream-ca: expected --upstream-tls beside it, found none",
                "P --upstream-name a | --upstream-name: expected --upstream-tls beside it, found none",
                "P --upstream-insecure | --upstream-insecure: expected --upstream-tls beside it, found none",
                "P --tls-cert c | --tls-cert: expected --tls-key beside it, found none",
                "P --tls-key k | --tls-key: expected --tls-cert beside it, found none",
                "P --snaplen 200 | --snaplen: expected no option of the proxy beside it, found --listen",
                "I --tls-self-signed | --interface: expected no option of the proxy beside it, found --tls-self-signed",
                "I --proxy-protocol-in auto | --interface: expected no option of the proxy beside it, found "
                        + "--proxy-protocol-in",
                "I --max-connections 9 | --interface: expected no option of the proxy beside it, found --max-connections",
                "I --idle-timeout 9s | --interface: expected no option of the proxy beside it, found --idle-timeout",
                "I --warmup 0 | --interface: expected no option of the proxy beside it, found --warmup",
                "--warmup 0 | --warmup: expected --listen and --upstream beside it, found neither",
                "--ring 8m | --ring: expected --interface beside it, found none",
                "P --rotate-size 64k | --rotate-size: expected at least 1m, found 64k",
                "P --rotate-time 500ms | --rotate-time: expected at least 1s, found 500ms",
                "P --flush-interval 2s | --flush-interval: expected 1ms to 1s, found 2s",
                "P --buffer 64k | --buffer: expected at least 512k, found 64k",
                "P --buffer 99999999999g | --buffer: expected at most 999999999g, found '99999999999g', which is too large",
                "I --ring 64k | --ring: expected 1m to 16g, found 64k",
                "I --snaplen 0 | --snaplen: expected 128 to 1048576 bytes, found 0",
                "-i lo --port 0 | --port: expected 1 to 65535, found 0",
                "--listen 127.0.0.1:27601 --upstream 127.0.0.1:27601 | --upstream: expected another address than "
                        + "--listen, or the proxy would call itself, found 127.0.0.1:27601",
                "P --proxy-protocol-in yes | --proxy-protocol-in: expected none, auto or required, found 'yes'",
            })
    void namesTheOptionOfARecordingThatIsWrong(String args, String message) {
        TestingCommandLine line = new TestingCommandLine();
        String all = "record -o /nonexistent/a.bin "
                + args.replaceFirst("^P", "--listen 127.0.0.1:0 --upstream 127.0.0.1:27601")
                        .replaceFirst("^I", "-i lo --port 27602");

        int exitCode = line.execute(all.split(" "));

        assertEquals("replay: " + message + "; see replay record --help\n", line.err());
        assertEquals("", line.out());
        assertEquals(ExitCode.USAGE, exitCode);
    }

    @Test
    void escapesWhatWouldCommandTheTerminal() {
        TestingCommandLine line = new TestingCommandLine();

        assertEquals(ExitCode.FAILED, line.execute("inspect", "f\033[31m\u202e.bin"));

        assertTrue(line.err().startsWith("replay: f\\x1b[31m\\u202e.bin: "), line.err());
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
    void takesAFileWithAMistypedNameForTheCapture() throws IOException {
        // In the working directory: a path with folders is like no command.
        Path capture = Files.writeString(Path.of("reprot"), "none");
        TestingCommandLine line = new TestingCommandLine();
        try {
            assertEquals(ExitCode.FAILED, line.execute("reprot", "--targets", "c2"));
        } finally {
            Files.delete(capture);
        }

        assertTrue(line.err().startsWith("replay: reprot at offset 0: not a Lockstep capture"), line.err());
    }

    @ParameterizedTest
    @CsvSource({"help, --help", "help report, report --help", "help help, help --help"})
    void helpIsACommandToo(String command, String option) {
        TestingCommandLine line = new TestingCommandLine();
        TestingCommandLine same = new TestingCommandLine();

        assertEquals(ExitCode.DONE, line.execute(command.split(" ")), line::err);

        same.execute(option.split(" "));
        assertEquals(same.out(), line.out());
        assertTrue(line.out().startsWith("Usage: replay "), line.out());
    }

    @Test
    void helpNamesTheCommands() {
        TestingCommandLine line = new TestingCommandLine();

        assertEquals(ExitCode.USAGE, line.execute("help", "reprot"));
        assertEquals(ExitCode.USAGE, line.execute("help", "me"));

        assertEquals(
                "replay: unknown command 'reprot'; did you mean report? See replay help --help\n"
                        + "replay: unknown command 'me'; the commands are record, import, export, inspect, filter, verify,"
                        + " report, compare, tune, experiment, recover, doctor, completion, help; see replay help --help\n",
                line.err());
    }

    @Test
    void printsHelpOnStandardOutput() {
        TestingCommandLine line = new TestingCommandLine();

        assertEquals(ExitCode.DONE, line.execute("--help"));

        assertTrue(line.out().startsWith("Usage: replay "), line.out());
        assertEquals("", line.err());
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpFitsATerminal(String command) {
        List<String> lines = help(command).lines().collect(Collectors.toList());

        assertTrue(lines.stream().allMatch(text -> text.length() <= 80), String.join("\n", lines));
        // An example that goes on in another line cannot be copied.
        int examples = lines.indexOf("Examples:") + 1;
        List<String> shown = lines.subList(examples, lines.size()).stream()
                .takeWhile(text -> !text.isEmpty())
                .collect(Collectors.toList());
        assertTrue(examples > 0 && !shown.isEmpty(), String.join("\n", lines));
        assertTrue(shown.stream().allMatch(text -> text.startsWith("  replay ")), String.join("\n", shown));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpHasEveryOptionUnderOneHeading(String command) {
        CommandSpec spec = spec(command);

        List<OptionSpec> shown =
                HelpLayout.groups(spec).values().stream().flatMap(List::stream).collect(Collectors.toList());

        assertEquals(names(spec.options()), names(shown));
    }

    @ParameterizedTest
    @ValueSource(classes = {WithoutHeading.class, UnderAnotherCommandsHeading.class})
    void helpRefusesAnOptionWithoutAHeadingOfItsCommand(Class<?> options) {
        CommandSpec spec = CommandSpec.forAnnotatedObject(options).name("import");

        IllegalStateException e = assertThrows(IllegalStateException.class, () -> HelpLayout.groups(spec));

        assertTrue(e.getMessage().startsWith("--new: expected @Heading with one of [What to read, "), e.getMessage());
    }

    @Test
    void refusesAnEmptyPathAsOfAVariableThatIsNotSet() {
        for (String[] args : new String[][] {
            {"--targets", "c2", "-o", "", "a.bin"},
            {"import", "a.pcap", "-o", ""},
            {"filter", "a.bin", "-o", ""},
            {"record", "--listen", "127.0.0.1:0", "--upstream", "127.0.0.1:1", "-o", ""},
        }) {
            TestingCommandLine line = new TestingCommandLine();
            assertEquals(ExitCode.USAGE, line.execute(args));
            assertTrue(line.err().startsWith("replay: -o: expected a path, found ''; see replay"), line.err());
        }
        for (String[] args :
                new String[][] {{"--targets", "c2", ""}, {"verify", ""}, {"report", ""}, {"recover", ""}}) {
            TestingCommandLine line = new TestingCommandLine();
            assertEquals(ExitCode.USAGE, line.execute(args));
            assertTrue(
                    line.err().matches("replay: (CAPTURE|DIR): expected a path, found ''; see replay.*\n"), line.err());
        }
    }

    @Test
    void takesASpaceAndWhatEvaluatesItForASearch() {
        CommandLine line = TestingCommandLine.parser();

        assertArrayEquals(
                new String[] {"tune", "space.yaml", "--evaluate", "exec:a", "--json"},
                Main.withCommand(line, "space.yaml", "--evaluate", "exec:a", "--json"));
        assertArrayEquals(
                new String[] {"tune", "space.yaml", "--evaluate", "exec:a"},
                Main.withCommand(line, "tune", "space.yaml", "--evaluate", "exec:a"));
        assertArrayEquals(
                new String[] {"--targets", "c2", "a.bin"}, Main.withCommand(line, "--targets", "c2", "a.bin"));
        assertArrayEquals(new String[0], Main.withCommand(line));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "tune "})
    void takesAJvmOptionThatReadsLikeOneOfItsOwnForWhatItIs(String command) {
        ParseResult parsed = TestingCommandLine.parser()
                .parseArgs((command + "--jvm-options -Dx=1 --jvm-options=-Tx --jvm-options b=-Dx a.bin").split(" "));
        ParseResult own = parsed.hasSubcommand() ? parsed.subcommand() : parsed;

        List<String> options = own.matchedOption("--jvm-options").getValue();

        assertEquals(List.of("-Dx=1", "-Tx", "b=-Dx"), options);
    }

    @Test
    void readsNoDeviceToItsEnd() {
        String[][] all = {
            {"--targets-file", "/dev/zero", "a.bin"},
            {"import", "a.pcap", "-o", "a.bin", "--redact", "/dev/zero"},
            {"-D", "/dev/zero", "http://h/"},
            {"--targets", "a=https://127.0.0.1:1", "--tls-ca", "/dev/zero", "a.bin"},
            {"import", "a.pcap", "-o", "a.bin", "--redact-key-file", "/dev/zero"}
        };
        for (int i = 0; i < all.length; i++) {
            TestingCommandLine line = new TestingCommandLine();
            // What is wrong in a file of settings is wrong as an option is.
            assertEquals(i < 2 ? ExitCode.USAGE : ExitCode.FAILED, line.execute(all[i]), line::err);
            assertTrue(line.err().matches("replay: .*/dev/zero.* bytes.*\n"), line.err());
        }
    }

    private static final class WithoutHeading {
        @Option(names = "--new")
        private boolean option;
    }

    private static final class UnderAnotherCommandsHeading {
        @Heading("Comparing")
        @Option(names = "--new")
        private boolean option;
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpSaysInFewWordsWhatAnOptionDoes(String command) {
        for (OptionSpec option : spec(command).options()) {
            int words = String.join(" ", option.description()).split("\\s+").length;
            assertTrue(words < 25, option.longestName() + " has " + words + " words; the rest belongs into docs/");
        }
    }

    static List<String> commands() {
        List<String> commands = new ArrayList<>(
                Main.commandLine(Interruption.detached()).getSubcommands().keySet());
        commands.add("");
        return commands;
    }

    private static CommandSpec spec(String command) {
        CommandLine line = Main.commandLine(Interruption.detached());
        return (command.isEmpty() ? line : line.getSubcommands().get(command)).getCommandSpec();
    }

    private static String help(String command) {
        TestingCommandLine line = new TestingCommandLine();
        assertEquals(ExitCode.DONE, line.execute((command + " --help").strip().split(" ")));
        return line.out();
    }

    private static List<String> names(List<OptionSpec> options) {
        return options.stream().map(OptionSpec::longestName).sorted().collect(Collectors.toList());
    }
}
