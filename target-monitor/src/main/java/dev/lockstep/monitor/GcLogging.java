package dev.lockstep.monitor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The options that make a JVM write the log that {@link GcLog} reads.
 *
 * <p>They write only what is needed, 0.6 KB (Serial) to 7 KB (generational ZGC) per cycle, and keep little: a log on
 * tmpfs counts towards the memory limit of the control group whose process wrote it.
 *
 * <p>Of unified logging: {@code gc} has the pauses, with the heap before and after; {@code gc+start} the kinds of ZGC's
 * cycles before their pauses; {@code gc+heap} the generations; {@code gc+phases} ZGC's pauses; {@code gc+ergo} what
 * Shenandoah copies, which would look like allocation; {@code safepoint} all stops; {@code gc+init} G1's region size,
 * from JDK 15 on (before, it is in {@code gc+heap}).
 */
public final class GcLogging {
    private static final int FILES = 3;
    private static final int FILE_MIB = 1;
    /** OpenJ9 rotates by cycles; one takes about 3 KB. */
    private static final int FILE_CYCLES = 400;

    /** A name that no JVM reads anything else into. */
    private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9._@+-]+");

    private static final Pattern PLAIN_FOLDER = Pattern.compile("[^%:,\"#]*");

    private static final Pattern LOGS_GC =
            Pattern.compile("-Xlog(:([^:]*,)?(gc|all)\\b.*)?|-Xloggc:.*|-verbose:gc|-Xverbosegclog.*|-XX:\\+PrintGC.*");

    private GcLogging() {}

    /**
     * Returns the options.
     *
     * @param featureVersion 8, 11, 17, 25...
     * @param file to write to; rotated files come beside it, {@link GcLog} finds them
     * @throws IllegalArgumentException when its name has characters that such options give a meaning
     */
    public static List<String> jvmOptions(GcLogFormat format, int featureVersion, Path file) {
        Path folder = file.getParent();
        if (!PLAIN_NAME.matcher(file.getFileName().toString()).matches()
                || folder != null && !PLAIN_FOLDER.matcher(folder.toString()).matches()) {
            throw new IllegalArgumentException("GC log file " + file
                    + ": the name may have letters, digits and . _ @ + - only, and its folder none of % : , \" #;"
                    + " choose another run directory");
        }
        switch (format) {
            case UNIFIED:
                return unified(
                        "gc,gc+start,gc+heap,gc+phases,gc+ergo,safepoint" + (featureVersion >= 15 ? ",gc+init" : ""),
                        file);
            case ZING:
                return featureVersion >= 9 ? unified("gc,safepoint", file) : classic(file, List.of());
            case JDK8:
                return classic(file, List.of("-XX:+PrintGCDetails"));
            case OPENJ9:
                return List.of("-Xverbosegclog:" + file + "," + FILES + "," + FILE_CYCLES);
            default:
                throw new IllegalArgumentException("no such format: " + format);
        }
    }

    private static List<String> unified(String selection, Path file) {
        return List.of("-Xlog:" + selection + ":file=" + file + ":timenanos,level,tags:filecount=" + FILES
                + ",filesize=" + FILE_MIB + "M");
    }

    /** No details for Zing: its own are not documented. */
    private static List<String> classic(Path file, List<String> details) {
        List<String> options = new ArrayList<>(details);
        options.addAll(List.of(
                "-Xloggc:" + file,
                "-XX:+PrintGCDateStamps",
                "-XX:+PrintGCTimeStamps",
                "-XX:+PrintGCApplicationStoppedTime",
                "-XX:+UseGCLogFileRotation",
                "-XX:NumberOfGCLogFiles=" + FILES,
                "-XX:GCLogFileSize=" + FILE_MIB + "M"));
        return options;
    }

    /** Whether a user's options make a JVM log its collections already. */
    public static boolean isIn(List<String> jvmOptions) {
        return jvmOptions.stream().anyMatch(option -> LOGS_GC.matcher(option).matches());
    }
}
