package dev.lockstep.recorder;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;

/**
 * A passive recorder in a process of its own, for tests that limit the process. Says when it records, or why it cannot;
 * then answers each line on standard input with what it has seen. Ends with the input.
 */
final class TestingPassiveRecorder {
    private TestingPassiveRecorder() {}

    /** Takes the interface, the port and the capture file. */
    public static void main(String[] arguments) throws IOException {
        PassiveConfig config = PassiveConfig.builder()
                .interfaceName(arguments[0])
                .ports(Integer.parseInt(arguments[1]))
                .capture(Paths.get(arguments[2]))
                .overwrite(true)
                .build();
        PassiveRecording recording;
        try {
            recording = PassiveRecording.launch(config);
        } catch (RecorderException e) {
            System.out.println(e.getMessage());
            return;
        }
        try {
            System.out.println("recording");
            BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (questions.readLine() != null) {
                System.out.println(text(recording.status()));
            }
        } finally {
            recording.close();
            System.out.println(text(recording.status()));
        }
    }

    private static String text(RecordingStatus status) {
        return "requests " + status.requests()
                + ", recorded " + status.recordedRequests()
                + ", packets " + status.packets()
                + ", dropped " + status.kernelDrops()
                + ", gaps " + status.gaps()
                + ", failure " + status.captureFailure();
    }
}
