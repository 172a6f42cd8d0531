package dev.lockstep.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.capture.CaptureInfo;
import dev.lockstep.capture.CaptureReader;
import dev.lockstep.capture.OpenOptions;
import dev.lockstep.cli.Main;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class InterruptionTest {
    private final Interruption interruption = Interruption.detached();
    private final List<String> events = new CopyOnWriteArrayList<>();

    @Test
    void doesWhatIsSetWhenTheSignalComesOrHasCome() {
        interruption.onRequest(() -> events.add("first"));
        interruption.onRequest(() -> events.add("second"));
        interruption.request();
        assertTrue(interruption.isRequested());
        interruption.onRequest(() -> events.add("third"));
        assertEquals(List.of("second", "third"), events);
    }

    @Test
    void saysWhetherTheCommandHasSomethingLeftToDo() {
        assertFalse(interruption.request());
        Interruption other = Interruption.detached();
        other.letCleanUp();
        assertFalse(other.isRequested());
        assertTrue(other.request());
        assertTrue(other.isRequested());
    }

    /** The process itself: a test's own JVM cannot be ended by a signal. */
    @Test
    @Tag("full")
    void anImportThatIsEndedBySigtermLeavesAReadableCapture(@TempDir Path folder) throws Exception {
        // Takes many seconds, of which the test waits for the first requests behind the header.
        Path list = folder.resolve("urls");
        try (OutputStream out = Files.newOutputStream(list)) {
            byte[] lines = "http://localhost/\n".repeat(100_000).getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 60; i++) {
                out.write(lines);
            }
        }
        Path capture = folder.resolve("capture.bin");
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "import",
                        list + "",
                        "-o",
                        capture + "")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        try {
            while (!Files.exists(capture) || Files.size(capture) < 10_000) {
                assertTrue(process.isAlive(), () -> read(folder.resolve("output")));
                Thread.sleep(10);
            }
            process.destroy();

            assertEquals(128 + 15, process.waitFor(), () -> read(folder.resolve("output")));
        } finally {
            process.destroyForcibly();
        }
        String printed = read(folder.resolve("output"));
        assertTrue(printed.contains("The import was ended by a signal; what follows was not read"), printed);
        CaptureInfo info = CaptureReader.verify(capture, OpenOptions.defaults());
        assertTrue(info.requests() > 0);
        assertTrue(info.endedEarly().contains("the import was ended by a signal"), info.endedEarly());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void doesNothingMoreThatWasSetBeforeOnceAnotherIsSet() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        interruption.onRequest(() -> {
            runs.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            events.add("asked");
        });
        Thread signal = new Thread(interruption::request);
        signal.start();
        runs.await();
        Thread command = new Thread(() -> {
            interruption.onRequest(() -> {});
            events.add("replaced");
        });
        command.start();
        while (command.isAlive() && command.getState() != Thread.State.BLOCKED) {
            Thread.onSpinWait();
        }
        mayEnd.countDown();
        signal.join();
        command.join();
        assertEquals(List.of("asked", "replaced"), events);
    }
}
