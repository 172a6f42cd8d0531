package dev.lockstep.conversion;

import java.nio.file.Path;
import java.util.Locale;

/** The formats in which a capture can be written for other tools. */
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

    /** Returns the name that people give and read. */
    public String label() {
        return label;
    }

    /** Returns the format with a label, or null when there is none. */
    public static ExportFormat ofLabel(String label) {
        for (ExportFormat format : values()) {
            if (format.label.equals(label)) {
                return format;
            }
        }
        return null;
    }

    /** Returns the format that a file's name ends with, or null when it ends with none. */
    public static ExportFormat ofName(Path file) {
        String name =
                file.getFileName() == null ? "" : file.getFileName().toString().toLowerCase(Locale.ROOT);
        return ofLabel(name.substring(name.lastIndexOf('.') + 1));
    }
}
