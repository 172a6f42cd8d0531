package dev.lockstep.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.search.Control;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SearchKeysTest {
    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();
    private Control wishes;
    private boolean foreground = true;

    @BeforeEach
    void openControl() {
        wishes = Control.of(folder, () -> false);
    }

    private SearchKeys keys(InputStream in) {
        return new SearchKeys(in, () -> foreground, wishes, new PrintWriter(err));
    }

    private static InputStream typed(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private boolean isWished(String wish) {
        return Files.exists(folder.resolve("control").resolve(wish));
    }

    @Test
    void wishesWhatIsTyped() throws IOException {
        PipedOutputStream terminal = new PipedOutputStream();
        try (SearchKeys keys = keys(new PipedInputStream(terminal))) {
            keys.take();
            terminal.write("p\r\n".getBytes(StandardCharsets.UTF_8));
            keys.take();
            assertTrue(isWished("pause"));
            assertFalse(isWished("skip"));
            terminal.write("p\ns\nc\n".getBytes(StandardCharsets.UTF_8));
            keys.take();
        }

        assertFalse(isWished("pause"));
        assertTrue(isWished("skip"));
        assertTrue(isWished("conclude"));
        assertEquals(
                "pausing: no further evaluation begins until p and Enter\ngoing on\n"
                        + "skipping the evaluation in progress, if there is one\n"
                        + "concluding after the evaluation in progress\n",
                err.toString());
    }

    @Test
    void ignoresAnythingElseWithALine() throws IOException {
        try (SearchKeys keys = keys(typed("\nstop \u001b[2J".repeat(2) + "x".repeat(200) + "\np"))) {
            keys.take();
        }

        String line = "no such key: p pauses and goes on, s skips this evaluation, c concludes after it, each with"
                + " Enter\n";
        assertEquals(line.repeat(3), err.toString());
        assertFalse(isWished("pause"), "its line goes on");
    }

    /** A job that reads its terminal from there is stopped. */
    @Test
    void readsNothingInTheBackground() throws IOException {
        InputStream in = typed("s\n");
        try (SearchKeys keys = keys(in)) {
            foreground = false;
            keys.take();
            assertEquals(2, in.available());
            assertFalse(keys.takeFromTerminal(true));
            foreground = true;
            keys.take();
        }

        assertTrue(isWished("skip"));
    }

    @Test
    void saysWhyItCannotWish() throws IOException {
        Files.writeString(folder.resolve("control"), "");
        try (SearchKeys keys = keys(typed("s\n"))) {
            keys.take();
        }

        assertEquals(
                folder.resolve("control") + ": cannot be written: a file stands where its directory should\n",
                err.toString());
    }
}
