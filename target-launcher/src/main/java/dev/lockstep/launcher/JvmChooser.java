package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Knows which JVM with which options serves a profile. Immutable.
 *
 * <p>Graal comes from one of three places. A stock JDK 17 or 25 gets the compiler's own jars on the upgrade module
 * path; JDK 11 to 16 carry it as a module; GraalVM has it as its default compiler. Class data sharing is off with an
 * upgrade module path, which shows in start-up times.
 *
 * <p>Without a wish for a version, c2 and graal get the same JDK, so that their comparison differs in the JIT only: the
 * lowest version from 17 on that serves both.
 *
 * <p>Design note: {@code -XX:+EagerJVMCI}, which starts Graal together with the JVM instead of at its first
 * compilation, is left as each JDK has it (on from JDK 22, off before): it changes the start-up time, which is a
 * result.
 */
final class JvmChooser {
    /** From here on Graal reads its options with another prefix. */
    private static final int NEW_OPTION_PREFIX = 22;

    private static final String HOW_TO_POINT =
            "; install one, or name its folder in the environment variable LOCKSTEP_JDKS (several joined by ':')";

    private final List<Jvm> jvms;
    private final Path graalJars;
    private final String places;

    JvmChooser(List<Jvm> jvms, Path graalJars, String places) {
        this.jvms = jvms;
        this.graalJars = graalJars.toAbsolutePath();
        this.places = places;
    }

    JvmChoice choose(Profile profile, OptionalInt version) {
        return find(profile, version)
                .orElseThrow(() -> new TargetFailedException(
                        "target profile " + name(profile, version) + ": " + missing(profile, version)));
    }

    ProfileStatus status(Profile profile, OptionalInt version) {
        Optional<JvmChoice> choice = find(profile, version);
        String target = name(profile, version);
        if (choice.isEmpty()) {
            return ImmutableProfileStatus.of(target, "", "", missing(profile, version));
        }
        Jvm jvm = choice.get().jvm;
        String found = "JDK " + jvm.version() + (jvm.vendor().isEmpty() ? "" : " (" + jvm.vendor() + ")") + ", "
                + choice.get().jit;
        return ImmutableProfileStatus.of(target, found, jvm.home().toString(), "");
    }

    /** Returns the versions that serve the profile apart from the one it takes by default. */
    Set<Integer> otherVersions(Profile profile) {
        Set<Integer> versions = new TreeSet<>();
        for (Jvm jvm : jvms) {
            if (serve(profile, jvm).isPresent()) {
                versions.add(jvm.featureVersion());
            }
        }
        find(profile, OptionalInt.empty()).ifPresent(choice -> versions.remove(choice.jvm.featureVersion()));
        return versions;
    }

    private Optional<JvmChoice> find(Profile profile, OptionalInt version) {
        if (version.isEmpty() && (profile == Profile.C2 || profile == Profile.GRAAL)) {
            Optional<Jvm> both = jvms.stream()
                    .filter(jvm -> jvm.featureVersion() >= 17)
                    .filter(jvm -> serve(Profile.C2, jvm).isPresent())
                    .filter(jvm -> serve(Profile.GRAAL, jvm).isPresent())
                    .findFirst();
            if (both.isPresent()) {
                return serve(profile, both.get());
            }
        }
        List<Jvm> fitting = jvms.stream()
                .filter(jvm -> version.isEmpty() || jvm.featureVersion() == version.getAsInt())
                .filter(jvm -> serve(profile, jvm).isPresent())
                .collect(Collectors.toList());
        // The lowest of the modern versions, or else the newest of the old ones.
        Optional<Jvm> modern =
                fitting.stream().filter(jvm -> jvm.featureVersion() >= 17).findFirst();
        return modern.or(() -> fitting.stream().reduce((a, b) -> b)).flatMap(jvm -> serve(profile, jvm));
    }

    private Optional<JvmChoice> serve(Profile profile, Jvm jvm) {
        if (!jvm.isUsable()) {
            return Optional.empty();
        }
        if (profile.isGraal()) {
            return profile == Profile.GRAAL || jvm.kind() == profile.kind ? serveGraal(jvm) : Optional.empty();
        }
        if (profile == Profile.C2 && jvm.kind() == Jvm.Kind.GRAALVM) {
            List<String> options =
                    List.of("-XX:+UnlockExperimentalVMOptions", "-XX:-UseJVMCICompiler", "-XX:+PrintCommandLineFlags");
            return Optional.of(new JvmChoice(jvm, options, "C2 of GraalVM"));
        }
        if (jvm.kind() != profile.kind) {
            return Optional.empty();
        }
        List<String> options = new ArrayList<>(jvm.selectOptions());
        options.addAll(profile.options);
        return Optional.of(new JvmChoice(jvm, options, profile.jitName));
    }

    private Optional<JvmChoice> serveGraal(Jvm jvm) {
        int version = jvm.featureVersion();
        List<String> options = new ArrayList<>(List.of(
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:+EnableJVMCI",
                "-XX:+UseJVMCICompiler",
                (version >= NEW_OPTION_PREFIX ? "-Djdk.graal." : "-Dgraal.") + "ShowConfiguration=info",
                "-XX:+PrintCommandLineFlags"));
        if (jvm.kind() == Profile.GRAAL.kind) {
            return Optional.of(new JvmChoice(jvm, options, Profile.GRAAL.jitName));
        }
        if (jvm.kind() != Jvm.Kind.HOTSPOT || !jvm.mayHaveModule("jdk.internal.vm.ci")) {
            return Optional.empty();
        }
        if (version >= 11 && version <= 16 && jvm.mayHaveModule("jdk.internal.vm.compiler")) {
            return Optional.of(new JvmChoice(jvm, options, "Graal of the JDK"));
        }
        Path jars = graalJars.resolve(Integer.toString(version));
        Optional<String> graalVersion = compilerVersion(jars);
        if (graalVersion.isEmpty()) {
            return Optional.empty();
        }
        // In one word: of two, only the java command makes one, and not a JVM that reads JAVA_TOOL_OPTIONS.
        options.add(0, "--upgrade-module-path=" + jars);
        return Optional.of(new JvmChoice(jvm, options, "Graal " + graalVersion.get() + " from " + jars));
    }

    /** Returns the version in the name of the compiler's jar, if there is one. */
    private static Optional<String> compilerVersion(Path folder) {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "compiler-*.jar")) {
            for (Path jar : jars) {
                String name = jar.getFileName().toString();
                return Optional.of(name.substring("compiler-".length(), name.length() - ".jar".length()));
            }
        } catch (IOException e) {
            // As if it were not there.
        }
        return Optional.empty();
    }

    private String missing(Profile profile, OptionalInt version) {
        return profile == Profile.GRAAL ? missingGraal(version) : notFound(profile, version) + summary() + HOW_TO_POINT;
    }

    private static String notFound(Profile profile, OptionalInt version) {
        return String.format(profile.missing, version.isPresent() ? " of version " + version.getAsInt() : "");
    }

    private String missingGraal(OptionalInt version) {
        List<Jvm> stock = jvms.stream()
                .filter(Jvm::isUsable)
                .filter(jvm -> jvm.kind() == Jvm.Kind.HOTSPOT)
                .filter(jvm -> version.isEmpty() || jvm.featureVersion() == version.getAsInt())
                .collect(Collectors.toList());
        for (Jvm jvm : stock) {
            int feature = jvm.featureVersion();
            if (feature == 17 || feature == 25) {
                return jvm.mayHaveModule("jdk.internal.vm.ci")
                        ? "the Graal compiler for JDK " + feature + " is not in "
                                + graalJars.resolve(Integer.toString(feature))
                                + "; build Lockstep again (mvn -pl target-launcher package), which fetches it"
                        : jvm.home() + " has no module jdk.internal.vm.ci, which Graal needs; install a full JDK "
                                + feature;
            }
        }
        String known = "Graal is known for stock JDK 17 and 25 (fetched by the build), for JDK 11 to 16 (carried by the"
                + " JDK) and for GraalVM of any version";
        if (version.isPresent() && !stock.isEmpty()) {
            return "no Graal is known for the stock JDK " + version.getAsInt() + " in "
                    + stock.get(0).home() + ": " + known;
        }
        return notFound(Profile.GRAAL, version) + summary() + "; " + known + HOW_TO_POINT;
    }

    private String summary() {
        String found = jvms.stream()
                .map(jvm -> jvm.kind().label() + " " + jvm.featureVersion()
                        + (jvm.isUsable() ? "" : " (" + jvm.problem() + ")"))
                .distinct()
                .collect(Collectors.joining(", "));
        return " in " + places + " (found: " + (found.isEmpty() ? "no JVM at all" : found) + ")";
    }

    private static String name(Profile profile, OptionalInt version) {
        return profile.id() + (version.isPresent() ? "@" + version.getAsInt() : "");
    }
}
