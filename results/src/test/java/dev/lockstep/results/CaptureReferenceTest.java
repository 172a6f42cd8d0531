package dev.lockstep.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class CaptureReferenceTest {
    @Test
    void refusesWhatIsNoDigest() {
        for (String digest : new String[] {null, "", "abc", TestingRuns.SHA256.toUpperCase(java.util.Locale.ROOT)}) {
            IllegalArgumentException e = assertThrows(
                    IllegalArgumentException.class,
                    () -> CaptureReference.builder().path("a").sha256(digest).build());
            assertEquals(
                    "capture sha256 must be 64 digits of lower-case hexadecimal, is "
                            + (digest == null ? "absent" : "\"" + digest + "\""),
                    e.getMessage());
        }
    }

    @Test
    void refusesNegativeCountsAndAnEmptyPath() {
        assertThrows(IllegalArgumentException.class, () -> full().path("").build());
        assertThrows(IllegalArgumentException.class, () -> full().requests(-1).build());
        assertThrows(
                IllegalArgumentException.class, () -> full().requestBytes(-1).build());
        assertThrows(
                IllegalArgumentException.class, () -> full().connections(-1).build());
        assertThrows(IllegalArgumentException.class, () -> full().durationNs(-1).build());
        assertEquals(0, full().requests(0).build().requests());
    }

    private static CaptureReference.Builder full() {
        return CaptureReference.builder()
                .path("a")
                .sha256(TestingRuns.SHA256)
                .streamSha256(TestingRuns.STREAM_SHA256)
                .requests(1);
    }
}
