package dev.lockstep.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

final class FileFailureTest {
    @Test
    void saysWhyWithoutThePath() {
        assertEquals("permission denied", FileFailure.reason(new AccessDeniedException("/proc/self/autogroup")));
        assertEquals("no such file", FileFailure.reason(new NoSuchFileException("a.pem")));
        assertEquals(
                "Read-only file system",
                FileFailure.reason(new FileSystemException("/proc/self/autogroup", null, "Read-only file system")));
        assertEquals("Is a directory", FileFailure.reason(new IOException("Is a directory")));
    }
}
