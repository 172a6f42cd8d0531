package dev.lockstep.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Whole logs, real ones where a JVM was at hand, against counts made otherwise; their README says where they are from.
 */
class GoldenGcLogsTest {
    private static final Pattern ID = Pattern.compile("\\bGC\\((\\d+)\\) ");
    private static final Pattern UNIFIED_PAUSE =
            Pattern.compile("(?m)\\bGC\\(\\d+\\) (?:[yYO]: )?Pause .* ([\\d.]+)ms$");
    private static final Pattern SAFEPOINT = Pattern.compile("Total: *(\\d+) ns");
    private static final Pattern STOPPED = Pattern.compile("threads were stopped: ([\\d.]+) seconds");
    private static final Pattern JDK8_PAUSE = Pattern.compile(
            "(?m)^(?:(?:\\S+: )*\\[(?:Full GC|GC pause|GC remark|GC cleanup|GC-- |GC \\().*)?, ([\\d.]+) secs\\](?: \\[Times.*)?$");
    private static final Pattern EXCLUSIVE = Pattern.compile("<exclusive-end .*durationms=\"([\\d.]+)\"");

    /** What is sealed: cycles and pauses by collector, and all else. */
    private static final Map<String, String> TOTALS = totals();

    private static Path folder() {
        return Path.of("src/test/resources/gclogs");
    }

    private static Map<String, String> totals() {
        try (Stream<String> lines = Files.lines(folder().resolve("totals.txt"))) {
            return lines.map(line -> line.split(": ", 2)).collect(Collectors.toMap(line -> line[0], line -> line[1]));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static GcLogFormat format(String name) {
        if (name.startsWith("jdk8-")) {
            return GcLogFormat.JDK8;
        }
        return name.startsWith("openj9-")
                ? GcLogFormat.OPENJ9
                : name.startsWith("zing-") ? GcLogFormat.ZING : GcLogFormat.UNIFIED;
    }

    @TestFactory
    Stream<DynamicTest> readsEachLogExactly() throws IOException {
        try (Stream<Path> files = Files.list(folder())) {
            List<Path> logs = files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .collect(Collectors.toList());
            assertEquals(TOTALS.size(), logs.size());
            return logs.stream()
                    .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> read(file)));
        }
    }

    private static void read(Path file) throws IOException {
        String name = file.getFileName().toString();
        byte[] bytes = Files.readAllBytes(file);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        TestingGcLog whole = new TestingGcLog(format(name));
        whole.feed(bytes, 0, bytes.length);
        GcTotals totals = whole.totals();
        List<GcPause> pauses = whole.takePauses();
        assertEquals(TOTALS.get(name), totals.toString());
        assertEquals(0, whole.damagedLines());
        assertEquals(0, whole.missingCycles());
        long counted = sum(totals.cycles());
        long pauseNs = sum(totals.pauseNs());
        switch (format(name)) {
            case UNIFIED:
                assertEquals(ids(text), counted);
                assertEquals(sum(UNIFIED_PAUSE, text, 6), pauseNs + nested(name));
                assertEquals(pauses.size(), count(UNIFIED_PAUSE, text));
                assertEquals(
                        sum(SAFEPOINT, text, 0) + sum(STOPPED, text, 9),
                        totals.safepointNs().orElseThrow());
                break;
            case JDK8:
                assertEquals(sum(JDK8_PAUSE, text, 9), pauseNs);
                assertEquals(pauses.size(), count(JDK8_PAUSE, text));
                assertEquals(sum(STOPPED, text, 9), totals.safepointNs().orElse(0));
                break;
            case OPENJ9:
                assertEquals(text.split("<cycle-start ", -1).length - 1, counted);
                assertEquals(sum(EXCLUSIVE, text, 6), totals.safepointNs().orElse(0));
                break;
            default:
                assertEquals(sum(STOPPED, text, 9), pauseNs);
                assertEquals(pauseNs, totals.safepointNs().orElseThrow());
        }
        assertEquals(
                totals.safepointNs().orElse(0),
                whole.takeSafepoints().stream()
                        .mapToLong(safepoint -> safepoint.endNs() - safepoint.startNs())
                        .sum(),
                "the time of each is known");
        assertEquals(name.equals("openj9-metronome.log") ? 321 + 115 : 0, whole.lostPauses());
        for (int i = 1; i < pauses.size(); i++) {
            assertTrue(pauses.get(i).endNs() >= pauses.get(i - 1).endNs(), pauses.get(i)::toString);
        }
        inPieces(name, bytes, totals, pauses);
    }

    /** The old Serial collector prints a full collection within the young one that it is part of. */
    private static long nested(String name) {
        return name.equals("jdk11-serial.log") ? 6_987_000 : 0;
    }

    private static void inPieces(String name, byte[] bytes, GcTotals totals, List<GcPause> pauses) {
        TestingGcLog byByte = new TestingGcLog(format(name));
        for (int i = 0; i < bytes.length; i++) {
            byByte.feed(bytes, i, i + 1);
        }
        assertEquals(totals.toString(), byByte.totals().toString());
        assertEquals(pauses, byByte.takePauses());
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        TestingGcLog random1 = new TestingGcLog(format(name));
        int at = 0;
        while (at < bytes.length) {
            int next = Math.min(bytes.length, at + random.nextInt(400));
            byte[] piece = Arrays.copyOfRange(bytes, at, next);
            random1.feed(piece, 0, piece.length);
            at = next;
        }
        assertEquals(totals.toString(), random1.totals().toString(), "seed " + seed);
        assertEquals(pauses, random1.takePauses(), "seed " + seed);
    }

    @TestFactory
    Stream<DynamicTest> passesOverDamagedLines() throws IOException {
        return TOTALS.keySet().stream()
                .filter(name -> format(name) == GcLogFormat.UNIFIED)
                .map(name -> DynamicTest.dynamicTest(name, () -> damage(name)));
    }

    /** Puts damaged copies of lines among the sound ones: nothing changes but the count of them. */
    private static void damage(String name) throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        TestingGcLog log = new TestingGcLog(GcLogFormat.UNIFIED);
        int damaged = 0;
        for (String line : Files.readAllLines(folder().resolve(name), StandardCharsets.ISO_8859_1)) {
            if (random.nextInt(4) == 0) {
                // Cut before the decorations end.
                log.feed(line.substring(0, 1 + random.nextInt(line.indexOf(']') - 1)) + "\n");
                damaged++;
            }
            if (line.matches(".*\\bPause .*ms") && random.nextInt(4) == 0) {
                log.feed(line.substring(0, line.length() - 1 - random.nextInt(2)) + "\n");
                damaged++;
            }
            log.feed(line + "\n");
        }
        assertEquals(TOTALS.get(name), log.totals().toString(), "seed " + seed);
        assertEquals(damaged, log.damagedLines(), "seed " + seed);
    }

    private static long sum(Map<String, Long> values) {
        return values.values().stream().mapToLong(Long::longValue).sum();
    }

    private static int ids(String text) {
        Set<String> ids = new HashSet<>();
        Matcher matcher = ID.matcher(text);
        while (matcher.find()) {
            ids.add(matcher.group(1));
        }
        return ids.size();
    }

    /** Returns the sum in nanoseconds of numbers in a unit of 10 to the given power of them. */
    private static long sum(Pattern pattern, String text, int power) {
        BigDecimal sum = BigDecimal.ZERO;
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            sum = sum.add(new BigDecimal(matcher.group(1)));
        }
        return sum.movePointRight(power).longValueExact();
    }

    private static int count(Pattern pattern, String text) {
        return (int) pattern.matcher(text).results().count();
    }
}
