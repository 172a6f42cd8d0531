package dev.lockstep.profiler;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/** Reads the CPU samples of a flight recording: async-profiler's, or one of a JVM's own recorder. */
final class JfrSamples {
    static final String SAMPLE = "jdk.ExecutionSample";
    private static final String SETTING = "jdk.ActiveSetting";

    private JfrSamples() {}

    /** Whether events of this name are read of a recording. */
    static boolean isRead(String event) {
        return event.equals(SAMPLE) || event.equals(SETTING);
    }

    /**
     * Returns the samples that were taken within this time.
     *
     * @param byAsyncProfiler whether async-profiler wrote the file; its frames say more
     * @param interpreted whether the JVM only interprets, whatever the file says
     * @throws IOException where the file is missing, cut short or no recording
     */
    static StackProfile read(Path file, boolean byAsyncProfiler, boolean interpreted, Instant from, Instant to)
            throws IOException {
        StackProfile profile = new StackProfile();
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                String type = event.getEventType().getName();
                if (type.equals(SAMPLE)) {
                    Instant time = event.getStartTime();
                    if (!time.isBefore(from) && time.isBefore(to)) {
                        profile.add(ThreadRole.of(thread(event)), frames(event, byAsyncProfiler, interpreted), 1);
                    }
                } else if (byAsyncProfiler && type.equals(SETTING)) {
                    setting(event, profile);
                }
            }
        }
        return profile;
    }

    private static void setting(RecordedEvent event, StackProfile profile) {
        String value = event.getString("value");
        switch (String.valueOf(event.getString("name"))) {
            case "engine":
                profile.event(value);
                break;
            case "version":
                profile.version(value);
                break;
            default:
                break;
        }
    }

    private static String thread(RecordedEvent event) {
        RecordedThread thread = event.getThread("sampledThread");
        if (thread == null) {
            return "";
        }
        String name = thread.getJavaName() != null ? thread.getJavaName() : thread.getOSName();
        return name == null ? "" : name;
    }

    private static List<StackFrame> frames(RecordedEvent event, boolean byAsyncProfiler, boolean interpreted) {
        List<StackFrame> frames = new ArrayList<>();
        RecordedStackTrace trace = event.getStackTrace();
        if (trace == null) {
            return frames;
        }
        List<RecordedFrame> recorded = trace.getFrames();
        for (int i = recorded.size() - 1; i >= 0; i--) {
            RecordedMethod method = recorded.get(i).getMethod();
            String type = recorded.get(i).getType();
            if (interpreted && type.equals("JIT compiled")) {
                type = "Interpreted";
            }
            String owner = method == null || method.getType() == null
                    ? ""
                    : String.valueOf(method.getType().getName());
            String name = method == null ? "unknown" : method.getName();
            frames.add(
                    byAsyncProfiler
                            ? FrameNames.asyncProfiler(type, owner, name)
                            : FrameNames.flightRecorder(type, owner, name));
        }
        return frames;
    }
}
