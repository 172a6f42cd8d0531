package dev.lockstep.conversion.exports;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/** The formats into which a capture can be exported. */
public enum ExportFormat {
    /** GoReplay's file. */
    GOR("gor"),
    /** HTTP Archive 1.2, requests only. */
    HAR("har"),
    /** Packets. */
    PCAP("pcap");

    private final String label;

    ExportFormat(String label) {
        this.label = label;
    }

    /** The name that people give and read. */
    public String label() {
        return label;
    }

    /** The format that the end of a file's name tells, or null. */
    public static ExportFormat ofName(Path file) {
        String name =
                file.getFileName() == null ? "" : file.getFileName().toString().toLowerCase(Locale.ROOT);
        String ending = name.substring(name.lastIndexOf('.') + 1);
        return Arrays.stream(values())
                .filter(format -> format.label.equals(ending))
                .findFirst()
                .orElse(null);
    }
}
