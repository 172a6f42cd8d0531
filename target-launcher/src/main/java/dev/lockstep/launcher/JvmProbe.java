package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds out what a Java folder holds: from its {@code release} file, and by asking its java only where that file does
 * not tell, as Debian's, and it is not the one that runs this program.
 *
 * <p>The {@code release} file's keys are those of Temurin (JVM_VARIANT), Semeru (JVM_VARIANT, OPENJ9_TAG) and GraalVM
 * (GRAALVM_VERSION). OpenJ9, Zing and GraalVM are recognised from their documentation; they were not at hand to try.
 */
final class JvmProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Pattern RELEASE_LINE = Pattern.compile("([A-Z0-9_]+)=\"?(.*?)\"?\\s*");
    private static final Pattern PROPERTY_LINE = Pattern.compile("\\s+([a-z.]+) = (.*)");
    private static final Pattern FEATURE = Pattern.compile("(?:1\\.)?([0-9]+).*");

    private JvmProbe() {}

    /** Returns the VMs of the folder: one, and a second when Debian's package put a Zero VM beside it. */
    static List<Jvm> probe(Path home) {
        Map<String, String> file = releaseFile(home);
        Map<String, String> properties = Map.of();
        Jvm.Kind kind = kindByRelease(file);
        String problem = problem(home, file);
        // The proof of two kinds rests on the VM's name: ask these in any case.
        boolean ask = kind == null || kind == Jvm.Kind.OPENJ9 || kind == Jvm.Kind.ZING;
        if (problem.isEmpty() && (ask || !file.containsKey("JAVA_VERSION"))) {
            try {
                properties = isOwn(home) ? own() : askJava(home.resolve("bin/java"));
            } catch (IOException e) {
                problem = e.getMessage();
            }
        }
        if (kind == null) {
            kind = kindByProperties(properties);
        }
        String javaVersion = first(file, "JAVA_VERSION", properties, "java.version");
        String version = first(file, "JAVA_RUNTIME_VERSION", properties, "java.runtime.version");
        String vendor = first(file, "IMPLEMENTOR", properties, "java.vendor");
        int feature = feature(javaVersion);
        if (problem.isEmpty() && feature == 0) {
            problem = "its version '" + javaVersion + "' is not understood";
        }
        if (version.isEmpty()) {
            version = javaVersion;
        }
        String modules = file.getOrDefault("MODULES", "");
        Jvm jvm = ImmutableJvm.builder()
                .home(home)
                .featureVersion(feature)
                .version(version)
                .vendor(vendor)
                .modules(modules.isEmpty() ? List.of() : List.of(modules.split("\\s+")))
                .kind(kind)
                .vmName(properties.getOrDefault("java.vm.name", ""))
                .problem(problem)
                .build();
        List<Jvm> jvms = new ArrayList<>(List.of(jvm));
        if (kind != Jvm.Kind.ZERO && hasZero(home)) {
            jvms.add(ImmutableJvm.builder()
                    .from(jvm)
                    .kind(Jvm.Kind.ZERO)
                    .vmName("")
                    .selectOptions(List.of("-zero"))
                    .build());
        }
        return jvms;
    }

    /** Returns the home that a java tells of what it starts; empty where it tells none. */
    static Optional<Path> home(Path java) {
        try {
            return Optional.ofNullable(askJava(java).get("java.home")).map(Path::of);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static String problem(Path home, Map<String, String> release) {
        Path java = home.resolve("bin/java");
        if (!Files.isExecutable(java)) {
            return java + " is not executable";
        }
        String itsArch = release.getOrDefault("OS_ARCH", "");
        String ourArch = System.getProperty("os.arch");
        if (!itsArch.isEmpty() && !architecture(itsArch).equals(architecture(ourArch))) {
            return "it is made for " + itsArch + ", this machine is " + ourArch;
        }
        return "";
    }

    private static String architecture(String name) {
        return name.equals("amd64") ? "x86_64" : name.equals("arm64") ? "aarch64" : name;
    }

    private static Map<String, String> releaseFile(Path home) {
        Map<String, String> values = new HashMap<>();
        try {
            for (String line : Files.readAllLines(home.resolve("release"), StandardCharsets.ISO_8859_1)) {
                Matcher matcher = RELEASE_LINE.matcher(line);
                if (matcher.matches()) {
                    values.put(matcher.group(1), matcher.group(2));
                }
            }
        } catch (IOException e) {
            // Many JREs have none; java itself is asked then.
        }
        return values;
    }

    /** Returns null when the file does not tell. */
    private static Jvm.Kind kindByRelease(Map<String, String> release) {
        String variant = release.getOrDefault("JVM_VARIANT", "").toLowerCase(Locale.ROOT);
        String implementor = release.getOrDefault("IMPLEMENTOR", "");
        String implementorVersion = release.getOrDefault("IMPLEMENTOR_VERSION", "");
        if (release.containsKey("GRAALVM_VERSION") || implementor.startsWith("GraalVM")) {
            return Jvm.Kind.GRAALVM;
        }
        if (variant.equals("openj9") || release.containsKey("OPENJ9_TAG")) {
            return Jvm.Kind.OPENJ9;
        }
        if (implementorVersion.startsWith("Zing") || implementorVersion.startsWith("Zulu Prime")) {
            return Jvm.Kind.ZING;
        }
        if (variant.equals("zero")) {
            return Jvm.Kind.ZERO;
        }
        return variant.equals("hotspot") ? Jvm.Kind.HOTSPOT : null;
    }

    private static Jvm.Kind kindByProperties(Map<String, String> properties) {
        String name = properties.getOrDefault("java.vm.name", "");
        if (name.contains("OpenJ9") || name.contains("J9 VM")) {
            return Jvm.Kind.OPENJ9;
        }
        if (name.contains("Zing")) {
            return Jvm.Kind.ZING;
        }
        if (name.contains("Zero VM")) {
            return Jvm.Kind.ZERO;
        }
        // GraalVM's VM calls itself OpenJDK or HotSpot; its version carries the JVMCI build it was made with.
        if (name.contains("GraalVM")
                || properties.getOrDefault("java.vendor.version", "").contains("GraalVM")
                || properties.getOrDefault("java.vm.version", "").contains("jvmci")) {
            return Jvm.Kind.GRAALVM;
        }
        return name.contains("HotSpot") || name.contains("OpenJDK") ? Jvm.Kind.HOTSPOT : Jvm.Kind.OTHER;
    }

    /** A Zero VM is a second one of its folder, which its java does not start unless it is told to. */
    private static boolean isOwn(Path home) {
        try {
            return Files.isSameFile(home, Path.of(System.getProperty("java.home")))
                    && !System.getProperty("java.vm.name").contains("Zero VM");
        } catch (IOException e) {
            // The folder of the JVM that runs this program is gone.
            return false;
        }
    }

    /** Returns what the JVM that runs this program tells, without a process for it. */
    static Map<String, String> own() {
        Map<String, String> properties = new HashMap<>();
        for (String name : System.getProperties().stringPropertyNames()) {
            properties.put(name, System.getProperty(name).trim());
        }
        return properties;
    }

    static Map<String, String> askJava(Path java) throws IOException {
        ShortCommand.Result result;
        try {
            result = ShortCommand.run(List.of(java.toString(), "-XshowSettings:properties", "-version"), TIMEOUT);
        } catch (IOException e) {
            throw new IOException("it can not be run: " + e.getMessage().replace('\n', ' '), e);
        }
        if (result.exitCode != 0) {
            throw new IOException(
                    "'java -version' ended with exit code " + result.exitCode + ": " + result.firstLine());
        }
        Map<String, String> properties = new HashMap<>();
        result.output.lines().forEach(line -> {
            Matcher matcher = PROPERTY_LINE.matcher(line);
            if (matcher.matches()) {
                properties.put(matcher.group(1), matcher.group(2).trim());
            }
        });
        return properties;
    }

    private static boolean hasZero(Path home) {
        try {
            return Files.exists(home.resolve("lib/zero/libjvm.so"))
                    && Files.readString(home.resolve("lib/jvm.cfg")).contains("-zero KNOWN");
        } catch (IOException e) {
            return false;
        }
    }

    static int feature(String javaVersion) {
        Matcher matcher = FEATURE.matcher(javaVersion);
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    private static String first(Map<String, String> a, String keyA, Map<String, String> b, String keyB) {
        String value = a.getOrDefault(keyA, "");
        return value.isEmpty() ? b.getOrDefault(keyB, "") : value;
    }
}
