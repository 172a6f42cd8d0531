package dev.lockstep.conversion;

import java.nio.charset.StandardCharsets;

/** What reading and writing GoReplay's file share. */
public final class GorFormat {
    private static final String SEPARATOR = "\n\uD83D\uDC35\uD83D\uDE48\uD83D\uDE49\n";

    private GorFormat() {}

    /** The line of three monkeys that ends a record. */
    public static byte[] separator() {
        return SEPARATOR.getBytes(StandardCharsets.UTF_8);
    }
}
