package dev.lockstep.monitor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * The counters a HotSpot JVM publishes in a file of its own, {@code /tmp/hsperfdata_USER/PID}; reading them costs the
 * JVM nothing, and us one read of some 30 KB. Used by one thread. JVMs of other makers, and those with
 * {@code -XX:-UsePerfData}, have none.
 *
 * <p>Layout after HotSpot's perfMemory.hpp, version 2.0:
 *
 * <pre>
 *  0 magic number | 4 byte order | 5 major, 6 minor version | 7 accessible | 8 bytes used | 12 overflow
 * 16 time of the last change, ticks | 24 offset of the first entry | 28 number of entries
 * entry: length, offset of the name, length of the vector (0: one value), type ('J' long, 'B' byte), flags, unit,
 *        variability, offset of the value
 * </pre>
 *
 * <p>Entries are added while the JVM starts; none is ever moved or removed.
 */
public final class PerfData implements AutoCloseable {
    private static final int MAGIC = 0xcafec0c0;
    /** More than any JVM has ({@code PerfDataMemorySize} is 32 KB by default). */
    private static final int MAX_BYTES = 16 << 20;

    /** Three are in use, five with generational ZGC; the ZGC of JDK 17 leaves out the first two. */
    private static final int MAX_COLLECTORS = 8;

    /** How much the date may have been set back since the process started. */
    private static final long CLOCK_SLACK_MS = 1_000;

    private final FileChannel channel;
    private final Map<String, Integer> numbers = new HashMap<>();
    /** Offset and greatest length. */
    private final Map<String, int[]> texts = new HashMap<>();

    private ByteBuffer data = ByteBuffer.allocate(0);
    private int entries;
    private int nextEntry;

    private PerfData(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Reads the counters of a process once, with nothing to close; empty when it publishes none, or in another layout.
     */
    public static Optional<PerfData> of(long pid) {
        Optional<PerfData> data = open(pid);
        data.ifPresent(PerfData::close);
        return data;
    }

    /**
     * Reads like {@link #of}, but keeps the file open for {@link #update()}. A file that another user left for us to
     * read, or an earlier process of the same id, is passed over.
     */
    public static Optional<PerfData> open(long pid) {
        OptionalLong startMs = startMs(pid);
        if (startMs.isEmpty()) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(Path.of("/tmp"), "hsperfdata_*")) {
            for (Path folder : folders) {
                Path file = folder.resolve(Long.toString(pid));
                // Anybody can make such a folder, and opening a pipe in it would wait for ever.
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                        && Files.isReadable(file)
                        && isOf(pid, startMs.getAsLong(), file)) {
                    PerfData data = new PerfData(FileChannel.open(file, StandardOpenOption.READ));
                    if (data.update()) {
                        return Optional.of(data);
                    }
                    data.close();
                }
            }
        } catch (IOException e) {
            // It has ended meanwhile.
        }
        return Optional.empty();
    }

    /** Returns when the process started; the kernel's figures may put this up to a second too early. */
    private static OptionalLong startMs(long pid) {
        return ProcessHandle.of(pid).flatMap(process -> process.info().startInstant()).stream()
                .mapToLong(Instant::toEpochMilli)
                .findFirst();
    }

    private static boolean isOf(long pid, long startMs, Path file) throws IOException {
        Object owner = Files.getAttribute(Path.of("/proc", Long.toString(pid)), "unix:uid");
        return owner.equals(Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS))
                && Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis() >= startMs - CLOCK_SLACK_MS;
    }

    /** Reads the counters in the content of such a file, from index 0 on; empty when it has another layout. */
    public static Optional<PerfData> parse(ByteBuffer bytes) {
        PerfData data = new PerfData(null);
        data.data = bytes.duplicate();
        return data.index() ? Optional.of(data) : Optional.empty();
    }

    /**
     * Reads the current values. When the JVM has ended, the last ones stay: its file has lost its name but not its
     * content. Ask elsewhere whether the JVM lives.
     *
     * @return whether they could be read; if not, the old ones stay
     */
    public boolean update() {
        if (channel == null) {
            return false;
        }
        try {
            int size = (int) Math.min(MAX_BYTES, channel.size());
            if (data.capacity() < size) {
                data = ByteBuffer.allocate(size);
                entries = 0;
            }
            data.clear().limit(size);
            int length = 0;
            for (int n = channel.read(data, 0); n > 0; n = channel.read(data, length)) {
                length += n;
            }
            return index();
        } catch (IOException e) {
            return false;
        }
    }

    /** Notes where the entries are that were added since the last time. */
    private boolean index() {
        try {
            if (data.order(ByteOrder.BIG_ENDIAN).getInt(0) != MAGIC || data.get(5) != 2) {
                return false;
            }
            data.order(data.get(4) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
            int count = data.getInt(28);
            if (entries == 0) {
                nextEntry = data.getInt(24);
            }
            while (entries < count) {
                int entry = nextEntry;
                int length = data.getInt(entry);
                if (length <= 0) {
                    // The JVM is just adding it.
                    break;
                }
                String name = text(entry + data.getInt(entry + 4), length);
                int vectorLength = data.getInt(entry + 8);
                char type = (char) data.get(entry + 12);
                int value = entry + data.getInt(entry + 16);
                if (type == 'J' && vectorLength == 0) {
                    data.getLong(value);
                    numbers.put(name, value);
                } else if (type == 'B') {
                    text(value, vectorLength);
                    texts.put(name, new int[] {value, vectorLength});
                }
                nextEntry = Math.addExact(entry, length);
                entries++;
            }
            return true;
        } catch (IndexOutOfBoundsException | ArithmeticException e) {
            return false;
        }
    }

    private String text(int start, int maxLength) {
        int end = start;
        while (end - start < maxLength && data.get(end) != 0) {
            end++;
        }
        byte[] bytes = new byte[end - start];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = data.get(start + i);
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Returns a text, for example "java.property.java.vm.name". */
    public Optional<String> text(String name) {
        int[] place = texts.get(name);
        return place == null ? Optional.empty() : Optional.of(text(place[0], place[1]));
    }

    /** Returns a number, for example "sun.rt.createVmEndTime". */
    public OptionalLong number(String name) {
        Integer offset = numbers.get(name);
        return offset == null ? OptionalLong.empty() : OptionalLong.of(data.getLong(offset));
    }

    /**
     * Returns eden used. G1 says it anew with each region that is full. Serial and Parallel have it sampled every 50 ms
     * ({@code PerfDataSamplingInterval}) up to JDK 24; later JVMs do not sample, and it stays as the last collection
     * left it. ZGC and Shenandoah have none.
     */
    public OptionalLong edenUsedBytes() {
        return text("sun.gc.generation.0.space.0.name")
                        .filter(name -> name.equals("eden"))
                        .isPresent()
                ? number("sun.gc.generation.0.space.0.used")
                : OptionalLong.empty();
    }

    /** Returns the old generation used after the last collection; absent for collectors without generations. */
    public OptionalLong oldUsedBytes() {
        boolean generations = text("sun.gc.generation.0.name").isPresent()
                && text("sun.gc.generation.1.name")
                        .filter(name -> name.equals("old"))
                        .isPresent();
        return generations ? number("sun.gc.generation.1.space.0.used") : OptionalLong.empty();
    }

    /** Returns the heap used, the sum of its spaces. */
    public OptionalLong heapUsedBytes() {
        long sum = 0;
        boolean any = false;
        for (int generation = 0; generation < 2; generation++) {
            for (int space = 0; space < 3; space++) {
                OptionalLong used = number("sun.gc.generation." + generation + ".space." + space + ".used");
                any |= used.isPresent();
                sum += used.orElse(0);
            }
        }
        return any ? OptionalLong.of(sum) : OptionalLong.empty();
    }

    /**
     * Returns how often all collectors together stopped the application. These are not cycles: ZGC and Shenandoah stop
     * it several times in one.
     */
    long gcStops() {
        long sum = 0;
        for (int i = 0; i < MAX_COLLECTORS; i++) {
            sum += number("sun.gc.collector." + i + ".invocations").orElse(0);
        }
        return sum;
    }

    /** Returns how long the application was stopped since the start, from each request to stop on, as in GC logs. */
    public OptionalLong safepointNs() {
        OptionalLong stoodNs = ticks("sun.rt.safepointTime");
        OptionalLong untilNs = ticks("sun.rt.safepointSyncTime");
        // Up to JDK 12 the first counter began when the second one does.
        boolean apart = featureVersion() >= 13;
        return stoodNs.isEmpty() || apart && untilNs.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(stoodNs.getAsLong() + (apart ? untilNs.getAsLong() : 0));
    }

    private int featureVersion() {
        String version = text("java.property.java.vm.specification.version").orElse("");
        String feature = version.startsWith("1.") ? version.substring(2) : version;
        return (int) GcText.number(feature, 0, feature.length());
    }

    private OptionalLong ticks(String name) {
        OptionalLong frequency = number("sun.os.hrt.frequency");
        OptionalLong ticks = number(name);
        return frequency.isEmpty() || frequency.getAsLong() <= 0 || ticks.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(nanoseconds(ticks.getAsLong(), frequency.getAsLong()));
    }

    private static long nanoseconds(long ticks, long perSec) {
        long second = TimeUnit.SECONDS.toNanos(1);
        return perSec == second ? ticks : (long) ((double) ticks * second / perSec);
    }

    @Override
    public void close() {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // It was only read.
            }
        }
    }
}
