package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code samples/record-tweets.sh} in a tree whose server, client and recorder are scripts that only say they are. */
@Timeout(120)
final class RecordTweetsScriptTest {
    @TempDir
    private Path folder;

    private Path script;

    @BeforeEach
    void makeTree() throws IOException {
        Files.createDirectory(folder.resolve("samples"));
        script = folder.resolve("samples/record-tweets.sh");
        Files.copy(TestingDocumentation.root().resolve("samples/record-tweets.sh"), script);
        Files.createDirectories(folder.resolve("jdk/bin"));
        program(
                "jdk/bin/java",
                "if [[ \" $* \" == *' -jar '* ]]; then echo ready: thrift://127.0.0.1:1; exec sleep 60; fi");
    }

    private void program(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, "#!/usr/bin/env bash\n" + text + "\n");
        file.toFile().setExecutable(true);
    }

    /** @param end what it does at the signal */
    private void recorder(String end) throws IOException {
        program(
                "replay",
                "if [[ $1 == record ]]; then\n"
                        + "  echo new > ${@: -2:1}\n"
                        + "  trap '" + end + "' TERM\n"
                        + "  echo listening to 127.0.0.1:2\n"
                        + "  while true; do sleep 0.05; done\n"
                        + "fi");
    }

    /** Returns the exit code and what it prints on both streams. */
    private String run() throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder("bash", script.toString(), "out.bin")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        int exitCode = builder.start().waitFor();
        return exitCode + "\n" + Files.readString(output, StandardCharsets.UTF_8);
    }

    @Test
    void printsWhatTheRecorderSaidOnceTheClientIsDone() throws Exception {
        recorder("echo out.bin.part: 1500 requests; exit 0");

        assertEquals("0\nlistening to 127.0.0.1:2\nout.bin: 1500 requests\n", run());
        assertEquals("new\n", Files.readString(folder.resolve("out.bin")));
    }

    /** What records for hours goes on with a capture that is there. */
    @Test
    void leavesNoCaptureThatIsNotWhole() throws Exception {
        Path capture = Files.writeString(folder.resolve("out.bin"), "former");
        recorder("exit 0");
        program(
                "jdk/bin/java",
                "if [[ \" $* \" == *' -jar '* ]]; then echo ready: thrift://127.0.0.1:1; exec sleep 60; fi; exit 1");

        assertEquals("1\n", run());

        assertFalse(Files.exists(capture));
        assertEquals("former", Files.readString(folder.resolve("out.bin.before")));
    }

    @Test
    void waitsForNoServerThatEnded() throws Exception {
        recorder("exit 0");
        program("jdk/bin/java", "echo no memory >&2; exit 1");

        assertEquals("1\nrecord-tweets.sh: no server, it ended or took 30 s: no memory\n", run());
    }

    @Test
    void failsWhereTheRecorderFailed() throws Exception {
        recorder("echo replay: out.bin: no space left on the device; exit 1");

        assertEquals(
                "1\nrecord-tweets.sh: out.bin.part is not whole: replay: out.bin: no space left on the device\n",
                run());
    }
}
