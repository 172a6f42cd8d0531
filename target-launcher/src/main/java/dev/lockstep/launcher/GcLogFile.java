package dev.lockstep.launcher;

import dev.lockstep.monitor.GcLog;
import dev.lockstep.monitor.GcLogFormat;
import dev.lockstep.monitor.GcLogging;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The file into which a target will log its garbage collections for us, or why it will not. Immutable. */
final class GcLogFile {
    /** Null when there is no log; so is the next field. */
    private final Path file;

    private final GcLogFormat format;
    /** The options that make the JVM log. */
    final List<String> jvmOptions;
    /** Why there is none, in one line; empty when there is one. */
    final String whyAbsent;

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
     * Chooses a log file, unless the user's options make the JVM log already: a second log would change what the user
     * asked for, and the first is not ours to read.
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
        if (jvm.kind().isHotSpot()) {
            return Optional.of(GcLogFormat.ofHotSpot(jvm.featureVersion()));
        }
        return jvm.kind() == Jvm.Kind.OPENJ9
                ? Optional.of(GcLogFormat.OPENJ9)
                : jvm.kind() == Jvm.Kind.ZING ? Optional.of(GcLogFormat.ZING) : Optional.empty();
    }

    /** Makes the log, once there is one, readable by its owner only; those that follow it are when they are read. */
    void hide() {
        if (file != null) {
            GcLog.hide(file);
        }
    }

    /** @param startNs when the JVM was started, {@link System#nanoTime()} */
    Optional<GcLog> open(long startNs) {
        return file == null ? Optional.empty() : Optional.of(GcLog.openOwn(file, format, OptionalLong.of(startNs)));
    }
}
