package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The counters a HotSpot JVM publishes in a file of its own, {@code /tmp/hsperfdata_USER/PID}; reading them costs the
 * JVM nothing. Immutable: one reading.
 *
 * <p>Layout after HotSpot's perfMemory.hpp, version 2.0: a prologue (magic number, byte order, version, size, number of
 * entries), then entries of a header with offsets, a name and a value that is a long or a text.
 */
final class PerfData {
    private static final int MAGIC = 0xcafec0c0;

    private final Map<String, String> texts;
    private final Map<String, Long> numbers;

    private PerfData(Map<String, String> texts, Map<String, Long> numbers) {
        this.texts = texts;
        this.numbers = numbers;
    }

    /** Reads those of a process; empty when it publishes none or they are not of the layout above. */
    static Optional<PerfData> of(long pid) {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(Path.of("/tmp"), "hsperfdata_*")) {
            for (Path folder : folders) {
                Path file = folder.resolve(Long.toString(pid));
                if (Files.isReadable(file)) {
                    return parse(ByteBuffer.wrap(Files.readAllBytes(file)));
                }
            }
        } catch (IOException e) {
            // It has ended meanwhile.
        }
        return Optional.empty();
    }

    static Optional<PerfData> parse(ByteBuffer data) {
        try {
            if (data.getInt(0) != MAGIC || data.get(5) != 2) {
                return Optional.empty();
            }
            data.order(data.get(4) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
            Map<String, String> texts = new HashMap<>();
            Map<String, Long> numbers = new HashMap<>();
            int entry = data.getInt(24);
            int count = data.getInt(28);
            for (int i = 0; i < count; i++) {
                int length = data.getInt(entry);
                if (length <= 0) {
                    // The JVM is just adding it.
                    break;
                }
                String name = text(data, entry + data.getInt(entry + 4), length);
                int vectorLength = data.getInt(entry + 8);
                char type = (char) data.get(entry + 12);
                int value = entry + data.getInt(entry + 16);
                if (type == 'J' && vectorLength == 0) {
                    numbers.put(name, data.getLong(value));
                } else if (type == 'B') {
                    texts.put(name, text(data, value, vectorLength));
                }
                entry += length;
            }
            return Optional.of(new PerfData(texts, numbers));
        } catch (IndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    private static String text(ByteBuffer data, int start, int maxLength) {
        int end = start;
        while (end < start + maxLength && data.get(end) != 0) {
            end++;
        }
        byte[] bytes = new byte[end - start];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = data.get(start + i);
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(texts.get(name));
    }

    OptionalLong number(String name) {
        Long value = numbers.get(name);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
