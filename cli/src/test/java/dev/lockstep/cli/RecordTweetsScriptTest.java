package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
        Files.createDirectory(folder.resolve("programs"));
        program("programs/java", "if [[ $1 == -jar ]]; then echo ready: thrift://127.0.0.1:1; exec sleep 60; fi");
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
        builder.environment().merge("PATH", folder.resolve("programs") + ":", (path, own) -> own + path);
        int exitCode = builder.start().waitFor();
        return exitCode + "\n" + Files.readString(output, StandardCharsets.UTF_8);
    }

    @Test
    void printsWhatTheRecorderSaidOnceTheClientIsDone() throws Exception {
        recorder("echo 1500 requests; exit 0");

        assertEquals("0\nlistening to 127.0.0.1:2\n1500 requests\n", run());
    }

    @Test
    void failsWhereTheRecorderFailed() throws Exception {
        recorder("echo replay: out.bin: no space left on the device; exit 1");

        assertEquals(
                "1\nrecord-tweets.sh: out.bin is not whole: replay: out.bin: no space left on the device\n", run());
    }
}
