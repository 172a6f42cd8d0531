package dev.lockstep.recorder;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;

/**
 * A recorder in a process of its own, for tests that limit the process. Prints its port; then answers each line on
 * standard input, the name of a count, with the count. Ends with the input.
 */
final class TestingRecorder {
    private TestingRecorder() {}

    /** Takes the listen port, the upstream port on this machine, and the capture file. */
    public static void main(String[] arguments) throws IOException {
        RecordingConfig config = RecordingConfig.builder()
                .listen(loopback(arguments[0]))
                .upstream(loopback(arguments[1]))
                .capture(Paths.get(arguments[2]))
                .overwrite(true)
                .build();
        try (RecordingProxy proxy = RecordingProxy.launch(config)) {
            System.out.println(proxy.boundAddress().getPort());
            BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            String question;
            while ((question = questions.readLine()) != null) {
                System.out.println(answer(question, proxy.status()));
            }
        }
    }

    private static Object answer(String question, RecordingStatus status) {
        switch (question) {
            case "requests":
                return status.requests();
            case "acceptFailures":
                return status.acceptFailures();
            case "upstreamFailures":
                return status.upstreamFailures();
            case "failure":
                return status.captureFailure();
            default:
                throw new IllegalArgumentException(question);
        }
    }

    private static InetSocketAddress loopback(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }
}
