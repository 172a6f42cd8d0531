package dev.lockstep.livetests;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Servers and clients of Python's libraries, in a process of their own that runs peers.py. */
final class PythonPeers implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;
    private final PrintWriter questions;

    private PythonPeers(Process process) {
        this.process = process;
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        questions = new PrintWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8), true);
    }

    /** Returns why there can be none here, or null. */
    static String reasonAgainst() throws InterruptedException {
        try {
            Process check = new ProcessBuilder("python3", "-c", "import thrift, thriftpy2")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return check.waitFor() == 0 ? null : "python3 has no thrift and thriftpy2: pip install thrift thriftpy2";
        } catch (IOException e) {
            return "there is no python3 with thrift and thriftpy2: " + e.getMessage();
        }
    }

    static PythonPeers start() throws IOException {
        Path script;
        try {
            script = Paths.get(PythonPeers.class.getResource("peers.py").toURI());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
        PythonPeers peers = new PythonPeers(new ProcessBuilder("python3", "-B", script.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
        peers.expect("ready", peers.answers.readLine());
        return peers;
    }

    /** Starts a server, which stays, and returns its port. */
    int serve(Combination server) throws IOException {
        String answer = ask("serve " + server);
        expect(
                "port ",
                answer.substring(0, Math.min(5, answer.length()))
                        + answer.substring(5).replaceAll("^\\d+$", ""));
        return Integer.parseInt(answer.substring(5));
    }

    /** Returns the names of the calls that came to a server, without the service's. */
    List<String> calls(int port) throws IOException {
        String answer = ask("calls " + port);
        expect("calls", answer.split(" ", 2)[0]);
        return List.of(answer.substring(answer.indexOf(' ') + 1).split(","));
    }

    /** Lets a client make its calls, and check the answers. */
    void call(Combination client, int port) throws IOException {
        expect("ok", ask("call " + client + " " + port + " " + client.reconnects()));
    }

    @Override
    public void close() throws IOException {
        questions.close();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private String ask(String question) throws IOException {
        questions.println(question);
        return String.valueOf(answers.readLine());
    }

    private void expect(String expected, String answer) throws IOException {
        if (!expected.equals(answer)) {
            throw new IOException("peers.py: expected " + expected + ", found " + answer);
        }
    }
}
