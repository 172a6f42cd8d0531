package dev.lockstep.monitor;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads small files of the kernel into one buffer that is used again. Used by one thread. */
final class KernelReader {
    /** AT_CLKTCK of getauxval(3). */
    private static final long AUXV_CLOCK_TICKS = 17;

    private byte[] buffer = new byte[8 * 1024];

    /** Returns the content, or null when there is no such file or process any more. */
    String read(String file) {
        try (FileInputStream in = new FileInputStream(file)) {
            int length = 0;
            for (int n = in.read(buffer); n > 0; n = in.read(buffer, length, buffer.length - length)) {
                length += n;
                if (length == buffer.length) {
                    buffer = java.util.Arrays.copyOf(buffer, 2 * buffer.length);
                }
            }
            return new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the number in the file, or -1. */
    long number(String file) {
        String content = read(file);
        return content == null ? -1 : parse(content.trim());
    }

    /** Returns the number after a key at the beginning of a line, which a blank, tab or colon ends; or -1. */
    static long value(String content, String key) {
        int start = content.startsWith(key) ? 0 : content.indexOf("\n" + key) + 1;
        if (start == 0 && !content.startsWith(key)) {
            return -1;
        }
        int at = start + key.length();
        while (at < content.length() && " \t:".indexOf(content.charAt(at)) >= 0) {
            at++;
        }
        int end = at;
        while (end < content.length() && Character.isDigit(content.charAt(end))) {
            end++;
        }
        return parse(content.substring(at, end));
    }

    static long parse(String digits) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Returns how many ticks of /proc/PID/stat make a second; 100 on all usual kernels. */
    static long clockTicksPerSec() {
        try {
            ByteBuffer auxv = ByteBuffer.wrap(Files.readAllBytes(Path.of("/proc/self/auxv")))
                    .order(ByteOrder.nativeOrder());
            while (auxv.remaining() >= 2 * Long.BYTES) {
                long key = auxv.getLong();
                long value = auxv.getLong();
                if (key == AUXV_CLOCK_TICKS && value > 0) {
                    return value;
                }
            }
        } catch (IOException e) {
            // Not readable in some containers.
        }
        return 100;
    }
}
