package dev.lockstep.monitor;

import static dev.lockstep.monitor.TestingGcLog.EPOCH_MS;
import static dev.lockstep.monitor.TestingGcLog.START_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Lines that the golden logs do not have: other decorations, other versions, what can not be known. */
class GcDialectsTest {
    private static final String YOUNG = "GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.000ms";

    private static GcPause onlyPause(String line) {
        List<GcPause> pauses = TestingGcLog.of(GcLogFormat.UNIFIED, line).takePauses();
        assertEquals(1, pauses.size(), line);
        return pauses.get(0);
    }

    @Test
    void placesPausesByWhicheverDecorationThereIs() {
        long twoSeconds = 2_000_000_000L;
        for (String decorations : List.of(
                "[" + (START_NS + twoSeconds) + "ns]",
                "[" + twoSeconds + "ns]",
                "[2.000s][info][gc     ]",
                "[2000ms][info][gc]",
                "[" + (EPOCH_MS + 52_000) + "ms]",
                "[2020-09-13T12:27:32.000+0000][2.000s]",
                "[2020-09-13T14:27:32.000+0200][info][gc]",
                "[2.001s][" + (START_NS + twoSeconds) + "ns][host][17][18][info][gc]")) {
            GcPause pause = onlyPause(decorations + " " + YOUNG);
            assertEquals(START_NS + twoSeconds, pause.endNs(), decorations);
            assertEquals(START_NS + twoSeconds - 2_000_000, pause.startNs(), decorations);
        }
    }

    @Test
    void countsPausesItCanNotPlace() {
        TestingGcLog log = TestingGcLog.of(GcLogFormat.UNIFIED, YOUNG);
        assertEquals(Map.of("Young", 2_000_000L), log.totals().pauseNs());
        assertEquals(List.of(), log.takePauses());
        assertEquals(1, log.lostPauses());
    }

    @Test
    void namesPausesByTheirCollector() {
        assertEquals(
                "G1 Young",
                onlyPauseOfG1("Pause Young (Prepare Mixed) (G1 Evacuation Pause) (Evacuation Failure: Allocation)")
                        .collector());
        assertEquals("G1 Full", onlyPauseOfG1("Pause Full (System.gc())").collector());
        // JDK 9 and 10.
        assertEquals(
                "G1 Mixed", onlyPauseOfG1("Pause Mixed (G1 Evacuation Pause)").collector());
        assertEquals(
                "G1 Young",
                onlyPauseOfG1("Pause Initial Mark (G1 Humongous Allocation)").collector());
        assertEquals("G1 Concurrent", onlyPauseOfG1("Pause Remark").collector());
    }

    private static GcPause onlyPauseOfG1(String head) {
        return TestingGcLog.of(
                        GcLogFormat.UNIFIED,
                        "[1.0s][info][gc] Using G1",
                        "[2.0s] GC(0) " + head + " 24M->4M(256M) 2.000ms")
                .takePauses()
                .get(0);
    }

    @Test
    void countsFromTheFirstCollectionWhereTheLogBeginsAmidTheJvmsLife() {
        String later = "[60.000s] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.000ms";
        TestingGcLog log = TestingGcLog.of(GcLogFormat.UNIFIED, later);
        assertEquals(OptionalLong.of(0), log.totals().allocatedBytes());
        log.feed(later.replace("GC(7)", "GC(8)") + "\n");
        assertEquals(OptionalLong.of(20 << 20), log.totals().allocatedBytes());
    }

    @Test
    void saysNothingThatTheLogHasNotSaid() {
        for (GcLogFormat format : GcLogFormat.values()) {
            GcTotals totals = new TestingGcLog(format).totals();
            assertEquals(Map.of(), totals.cycles());
            assertEquals(OptionalLong.empty(), totals.safepointNs());
            assertEquals(OptionalLong.empty(), totals.allocatedBytes());
            assertEquals(OptionalLong.empty(), totals.heapUsedBytes());
            assertEquals(OptionalLong.empty(), totals.oldUsedBytes());
            assertEquals(OptionalLong.empty(), totals.edenUsedBytes());
        }
    }

    @Test
    void keepsCountOfACycleThatThousandsOfOthersOvertake() {
        TestingGcLog log = TestingGcLog.of(
                GcLogFormat.UNIFIED,
                "[1.0s][info][gc] Using The Z Garbage Collector",
                "[1.0s][info][gc,start] GC(0) Major Collection (Proactive)");
        for (int i = 1; i <= 3000; i++) {
            log.feed("[1.0s][info][gc,phases] GC(" + i + ") y: Pause Mark Start 0.010ms\n");
        }
        log.feed("[1.0s][info][gc,phases] GC(0) O: Pause Mark End 0.010ms\n");
        log.feed("[1.0s][info][gc] GC(0) Major Collection (Proactive) 26M(10%)->14M(5%) 0.012s\n");
        assertEquals(Map.of("ZGC Major", 1L, "ZGC Minor", 3000L), log.totals().cycles());
        assertEquals(
                Map.of("ZGC Major", 10_000L, "ZGC Minor", 30_000_000L),
                log.totals().pauseNs());
    }

    @Test
    void countsTheCyclesWhoseNumbersAreLeftOut() {
        String minor = "[1.0s][info][gc,phases] GC(%d) y: Pause Mark Start 0.010ms\n";
        TestingGcLog log = new TestingGcLog(GcLogFormat.UNIFIED);
        log.feed(String.format(minor, 2));
        assertEquals(2, log.missingCycles(), "the first is 0");
        log.feed(String.format(minor, 3));
        log.feed(String.format(minor, 7));
        assertEquals(2 + 3, log.missingCycles());
        // The driver of the other generation was later with its first line.
        log.feed("[1.0s][info][gc,start] GC(6) Major Collection (Proactive)\n");
        log.feed("[1.0s][info][gc,phases] GC(6) O: Pause Mark End 0.010ms\n");
        assertEquals(2 + 2, log.missingCycles());
        log.feed("[9.0s][info][gc] Using The Z Garbage Collector\n");
        log.feed(String.format(minor, 0));
        assertEquals(4, log.missingCycles(), "another JVM begins anew");
    }

    @Test
    void readsCmsWithoutTakingItsSweepsForAllocation() {
        TestingGcLog log = TestingGcLog.of(
                GcLogFormat.UNIFIED,
                "[0.019s][info][gc] Using Concurrent Mark Sweep",
                "[0.227s][info][gc,heap] GC(0) ParNew: 40000K->5000K(47936K)",
                "[0.227s][info][gc,heap] GC(0) CMS: 0K->33000K(106496K)",
                "[0.227s][info][gc] GC(0) Pause Young (Allocation Failure) 39M->37M(150M) 9.000ms",
                "[0.310s][info][gc] GC(1) Pause Initial Mark 91M->91M(150M) 0.165ms",
                "[0.310s][info][gc] GC(1) Concurrent Mark",
                "[0.314s][info][gc] GC(1) Pause Remark 60M->60M(150M) 0.908ms",
                "[0.395s][info][gc,heap] GC(2) ParNew: 47000K->5200K(47936K)",
                "[0.395s][info][gc,heap] GC(2) CMS: 3000K->4000K(106496K)",
                "[0.395s][info][gc] GC(2) Pause Young (Allocation Failure) 48M->9M(150M) 5.000ms");
        assertEquals(Map.of("CMS Young", 2L, "CMS Concurrent", 1L), log.totals().cycles());
        assertEquals(OptionalLong.of((40_000 + 42_000) * 1024L), log.totals().allocatedBytes());
        assertEquals(OptionalLong.of(4_000 * 1024), log.totals().oldUsedBytes());
        assertEquals(OptionalLong.of(9_200 * 1024), log.totals().heapUsedBytes());
    }

    @Test
    void takesTheStartOfZingFromItsLog() {
        GcAccount account = new GcAccount();
        GcClock clock = new GcClock(OptionalLong.empty(), ZoneOffset.UTC);
        clock.adjust(0, EPOCH_MS);
        GcDialect zing = GcDialect.of(GcLogFormat.ZING, account, clock);
        zing.line("1.000: Total time for which application threads were stopped: 0.5000000 seconds");
        zing.line("0.092: [GCHH : start time ms : " + (EPOCH_MS + 7_000) + " ]");
        zing.line("1.000: Total time for which application threads were stopped: 0.2500000 seconds");
        GcPause pause = account.takePauses().get(0);
        assertEquals(8_000_000_000L, pause.endNs());
        assertEquals(250_000_000, pause.endNs() - pause.startNs());
        assertEquals(1, account.lostPauses());
    }

    @Test
    void countsDamageInEveryFormat() {
        assertDamaged(GcLogFormat.UNIFIED, "[1.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evac");
        assertDamaged(GcLogFormat.UNIFIED, "[1.0s][info][gc] GC(x) Pause Young");
        assertDamaged(GcLogFormat.UNIFIED, "[1.0s][info][gc");
        assertDamaged(GcLogFormat.UNIFIED, "ause Young (Normal) 24M->4M(256M) 2.000ms");
        assertDamaged(GcLogFormat.UNIFIED, "[1.0s][info][gc] GC(0) Pause Young (Normal) 24M->4X(256M) 2.000ms");
        assertDamaged(GcLogFormat.UNIFIED, "[1.0s][info][safepoint] Safepoint \"Cleanup\", Time since last: 18641");
        assertDamaged(GcLogFormat.JDK8, "1.0: [GC (Allocation Failure) [PSYoungGen: 8192K->1000K(9216K)] 8192K->15");
        assertDamaged(GcLogFormat.JDK8, "1.0: [GC (Allocation Failure) [PSYoungGen: 8K->1K(9K)], 0.0054371 secs]");
        assertDamaged(GcLogFormat.JDK8, "1.0: Total time for which application threads were stopped: 0.00");
        assertDamaged(
                GcLogFormat.OPENJ9,
                "<exclusive-end id=\"13\" timestamp=\"2026-11-21T17:00:01.012\" durationms=\"1x\" />");
        assertDamaged(GcLogFormat.OPENJ9, "<allocation-stats totalBytes=\"-5\" >");
        assertDamaged(GcLogFormat.ZING, "1.0: Total time for which application threads were stopped: 0.00");
    }

    private static void assertDamaged(GcLogFormat format, String line) {
        TestingGcLog log = TestingGcLog.of(format, line);
        assertEquals(1, log.damagedLines(), line);
        assertEquals(List.of(), log.takePauses(), line);
        assertEquals(Map.of(), log.totals().pauseNs(), line);
    }

    @Test
    void readsNumbersAsJvmsPrintThem() {
        assertEquals(24L << 20, GcText.bytes("24M", 0, 3));
        assertEquals(7_340_032, GcText.bytes("7168.0K", 0, 7));
        assertEquals(7_340_032, GcText.bytes("7168,0K", 0, 7));
        assertEquals(0, GcText.bytes("0.0B", 0, 4));
        assertEquals(-1, GcText.bytes("M", 0, 1));
        assertEquals(-1, GcText.bytes("99999999999999999T", 0, 18));
        assertEquals(-1, GcText.decimal("1.2.3", 0, 5, 1000));
        assertEquals(-1, GcText.decimal("1.", 0, 2, 1000));
        assertEquals(8_757_000, GcText.decimal("0.0087570", 0, 9, 1_000_000_000));
        assertEquals(-1, GcText.number("", 0, 0));
        assertEquals(-1, GcText.number("1234567890123456789", 0, 19));
    }

    @Test
    void readsDatesWithAndWithoutTheirZone() {
        GcClock clock = new GcClock(OptionalLong.empty(), ZoneId.of("Europe/Berlin"));
        assertEquals(EPOCH_MS + 1, clock.epochMs("2020-09-13T14:26:40.001"));
        assertEquals(EPOCH_MS + 1, clock.epochMs("2020-09-13T12:26:40.001+0000"));
        assertEquals(-1, clock.epochMs("2020-13-13T12:26:40.001+0000"));
        assertEquals(-1, clock.epochMs("2020-09-13T12:26:40.001+00x0"));
        assertEquals(-1, clock.epochMs("2020-09-13"));
        assertTrue(clock.ofUptimeNs(1) == GcAccount.NO_TIME);
    }
}
