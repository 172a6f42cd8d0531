package dev.lockstep.conversion.imports;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The formats of recordings that can be imported. */
public enum ImportFormat {
    /** Packets: pcap and pcapng. */
    PCAP("pcap"),
    /** HTTP Archive 1.1 and 1.2, as browsers and proxies save them. */
    HAR("har"),
    /** GoReplay's file. */
    GOR("gor"),
    /** Envoy's tap of a transport socket, as protobuf or JSON. */
    ENVOY_TAP("envoy-tap"),
    /** mitmproxy's flows. */
    MITMPROXY("mitmproxy"),
    /** A web server's log in the common or combined format. */
    ACCESS_LOG("access-log"),
    /** One URL on each line. */
    URLS("urls"),
    /** vegeta's targets, as text or as lines of JSON. */
    VEGETA("vegeta");

    private final String label;

    ImportFormat(String label) {
        this.label = label;
    }

    /** The name that people give and read, such as {@code access-log}. */
    public String label() {
        return label;
    }

    /** The names of all formats, for people. */
    public static String labels() {
        return Arrays.stream(values()).map(ImportFormat::label).collect(Collectors.joining(", "));
    }
}
