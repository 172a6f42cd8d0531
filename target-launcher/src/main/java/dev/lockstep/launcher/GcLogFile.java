package dev.lockstep.launcher;

import dev.lockstep.monitor.GcLog;
import dev.lockstep.monitor.GcLogFormat;
import dev.lockstep.monitor.GcLogging;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Where a target that is to be started logs its garbage collections for us, or why it does not. Immutable. */
final class GcLogFile {
    /** Null where there is none, as the next one. */
    private final Path file;

    private final GcLogFormat format;
    private final List<String> jvmOptions;
    private final String whyAbsent;

    private GcLogFile(Path file, GcLogFormat format, List<String> jvmOptions, String whyAbsent) {
        this.file = file;
        this.format = format;
        this.jvmOptions = jvmOptions;
        this.whyAbsent = whyAbsent;
    }

    static GcLogFile absent(String why) {
        return new GcLogFile(null, null, List.of(), why);
    }

    /**
     * Has a JVM log into a file, unless the user's options have it log already: a second log would change what the user
     * asked for, and the first one is not ours.
     *
     * @param own the user's options
     */
    static GcLogFile choose(Jvm jvm, List<String> own, Path file) {
        if (GcLogging.isIn(own)) {
            return absent("its own options have it log");
        }
        Optional<GcLogFormat> format = format(jvm);
        if (format.isEmpty()) {
            return absent("the log of " + jvm.kind().label() + " is not known");
        }
        try {
            List<String> options = GcLogging.jvmOptions(format.get(), jvm.featureVersion(), file);
            return new GcLogFile(file, format.get(), options, "");
        } catch (IllegalArgumentException e) {
            return absent(e.getMessage());
        }
    }

    private static Optional<GcLogFormat> format(Jvm jvm) {
        switch (jvm.kind()) {
            case HOTSPOT:
            case GRAALVM:
            case ZERO:
                return Optional.of(GcLogFormat.ofHotSpot(jvm.featureVersion()));
            case OPENJ9:
                return Optional.of(GcLogFormat.OPENJ9);
            case ZING:
                return Optional.of(GcLogFormat.ZING);
            default:
                return Optional.empty();
        }
    }

    /** Returns the options that make the JVM log. */
    List<String> jvmOptions() {
        return jvmOptions;
    }

    /** Returns why there is none, in one line; empty when there is one. */
    String whyAbsent() {
        return whyAbsent;
    }

    /** @param startNs when the JVM was started, {@link System#nanoTime()} */
    Optional<GcLog> open(long startNs) {
        return file == null ? Optional.empty() : Optional.of(GcLog.open(file, format, OptionalLong.of(startNs)));
    }
}
