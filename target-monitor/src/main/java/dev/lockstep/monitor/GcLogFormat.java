package dev.lockstep.monitor;

/** How a JVM writes its log of garbage collections. */
public enum GcLogFormat {
    /** HotSpot's unified logging, {@code -Xlog}, JDK 9 and later; also of GraalVM and Zero. */
    UNIFIED,
    /** HotSpot's {@code -XX:+PrintGCDetails} of JDK 8. */
    JDK8,
    /** OpenJ9's {@code -Xverbosegclog}, XML. */
    OPENJ9,
    /** Azul Zing or Prime: its own lines, in the manner of JDK 8 or within unified logging. */
    ZING;

    /** Returns the format of a HotSpot JVM, whichever compiler it has. */
    public static GcLogFormat ofHotSpot(int featureVersion) {
        return featureVersion >= 9 ? UNIFIED : JDK8;
    }
}
