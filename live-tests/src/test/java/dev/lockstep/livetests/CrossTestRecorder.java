package dev.lockstep.livetests;

import dev.lockstep.recorder.RecordingConfig;
import dev.lockstep.recorder.RecordingProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * Records, for cross_test.py, one run of Apache's cross-test after the other: each line {@code LISTEN UPSTREAM} on
 * standard input, two ports, begins one; the next line ends it, and is answered by a line per connection with the
 * protocol, the SHA-256 and the number of the bytes that the client sent, the calls by their names, and how many of
 * them get no answer; then by an empty line.
 */
final class CrossTestRecorder {
    private CrossTestRecorder() {}

    /** Takes the folder for the captures. */
    public static void main(String[] arguments) throws IOException {
        Path capture = Paths.get(arguments[0], "cross-test.bin");
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            String[] ports = line.split(" ");
            RecordingProxy proxy = RecordingProxy.launch(RecordingConfig.builder()
                    .listen(loopback(ports[0]))
                    .upstream(loopback(ports[1]))
                    .capture(capture)
                    .overwrite(true)
                    .build());
            System.out.println("recording");
            questions.readLine();
            proxy.close();
            for (Recording.Connection connection : Recording.read(capture)) {
                System.out.println(text(connection));
            }
            System.out.println();
            Files.delete(capture);
        }
    }

    private static String text(Recording.Connection connection) {
        byte[] sent = connection.sent.toByteArray();
        StringBuilder text = new StringBuilder();
        text.append(connection.protocol)
                .append('\t')
                .append(sha256(sent))
                .append('\t')
                .append(sent.length)
                .append('\t');
        List<Call> calls = connection.calls();
        for (int i = 0; i < calls.size(); i++) {
            text.append(i == 0 ? "" : ",").append(calls.get(i).name);
        }
        return text.append('\t').append(connection.unanswered.size()).toString();
    }

    private static String sha256(byte[] bytes) {
        try {
            StringBuilder hex = new StringBuilder();
            for (byte b : MessageDigest.getInstance("SHA-256").digest(bytes)) {
                hex.append(String.format("%02x", b));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }

    private static InetSocketAddress loopback(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }
}
