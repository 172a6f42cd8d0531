package dev.lockstep.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.capture.Capture;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ArrivalScheduleTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;

    @Test
    void computesConstantTimesFromTheRequestNumber() {
        ArrivalSchedule schedule = ArrivalSchedule.constant(3);

        assertEquals(0, schedule.intendedNs(0));
        assertEquals(333_333_333, schedule.intendedNs(1));
        assertEquals(666_666_667, schedule.intendedNs(2));
        assertEquals(1_000_000_000, schedule.intendedNs(3));
        // A day later no error has added up.
        assertEquals(86_400_000_000_000L, schedule.intendedNs(3 * 86_400));
    }

    @Test
    void keepsTheRecordedGapsAndTheRecordedRateAcrossPasses() {
        TestingCapture recording = new TestingCapture(directory);
        int connection = recording.open(0);
        recording.request(connection, 5 * MS, TestingCapture.get(0));
        recording.request(connection, 6 * MS, TestingCapture.get(1));
        recording.request(connection, 9 * MS, TestingCapture.get(2));
        try (Capture capture = recording.finish()) {
            RecordedSchedule schedule = new RecordedSchedule(capture, 1);

            assertEquals(0, schedule.intendedNs(0));
            assertEquals(1 * MS, schedule.intendedNs(1));
            assertEquals(4 * MS, schedule.intendedNs(2));
            // Two gaps of 2 ms on average: the pass takes 6 ms.
            assertEquals(6 * MS, schedule.intendedNs(3));
            assertEquals(7 * MS, schedule.intendedNs(4));
            assertEquals(600 * MS + 4 * MS, schedule.intendedNs(302));
            assertEquals(4 * MS, schedule.scaled(capture.timeNs(2)));
        }
    }

    @Test
    void dividesRecordedTimesByTheSpeed() {
        try (Capture capture = TestingCapture.gets(directory, 11, 10 * MS)) {
            RecordedSchedule schedule = new RecordedSchedule(capture, 4);

            assertEquals(25 * MS, schedule.intendedNs(10));
            assertEquals(27_500_000, schedule.intendedNs(11));
        }
    }

    @Test
    void repeatsASingleRequestEverySecond() {
        try (Capture capture = TestingCapture.gets(directory, 1, MS)) {
            RecordedSchedule schedule = new RecordedSchedule(capture, 1);

            assertEquals(0, schedule.intendedNs(0));
            assertEquals(1000 * MS, schedule.intendedNs(1));
            assertEquals(2000 * MS, schedule.intendedNs(2));
        }
    }
}
