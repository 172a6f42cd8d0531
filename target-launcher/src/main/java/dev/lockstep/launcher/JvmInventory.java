package dev.lockstep.launcher;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The JVMs of this machine and which of them serves a {@link Profile}, and the files that targets were started with.
 * Safe to use from any thread.
 *
 * <p>Looked for in {@code JAVA_HOME}, {@code LOCKSTEP_JDKS} (Java folders, or folders of such, joined by ':'), the java
 * of {@code PATH}, {@code /usr/lib/jvm}, {@code /usr/java}, {@code /opt}, {@code ~/.sdkman/candidates/java},
 * {@code ~/.jdks}, and the JVM that runs this program. Of several that serve equally well the first of this order is
 * taken.
 */
public final class JvmInventory {
    private static final String PLACES =
            "JAVA_HOME, LOCKSTEP_JDKS, PATH, /usr/lib/jvm, /usr/java, /opt," + " ~/.sdkman/candidates/java, ~/.jdks";

    private final List<Jvm> jvms;
    private final JvmChooser chooser;
    private final ProgramFiles files = new ProgramFiles();

    private JvmInventory(List<Jvm> jvms, Path graalJars) {
        this.jvms = List.copyOf(jvms);
        this.chooser = new JvmChooser(this.jvms, graalJars, PLACES);
    }

    /**
     * Looks for JVMs. One that is broken is listed with its {@link Jvm#problem() problem}.
     *
     * @param graalJars the folder whose subfolders 17 and 25 hold the Graal compiler for stock JDKs
     */
    public static JvmInventory discover(Path graalJars) {
        return discover(System.getenv(), Path.of(System.getProperty("user.home")), Path.of("/"), graalJars);
    }

    /** The same for another environment, home folder and file system root. */
    static JvmInventory discover(Map<String, String> environment, Path userHome, Path root, Path graalJars) {
        Set<Path> homes = new LinkedHashSet<>();
        addWithChildren(homes, environment.getOrDefault("JAVA_HOME", ""));
        for (String place : environment.getOrDefault("LOCKSTEP_JDKS", "").split(File.pathSeparator)) {
            addWithChildren(homes, place);
        }
        for (String place : environment.getOrDefault("PATH", "").split(File.pathSeparator)) {
            if (!place.isEmpty()) {
                addOfCommand(homes, Path.of(place).resolve("java"));
            }
        }
        for (String place : List.of("usr/lib/jvm", "usr/java", "opt")) {
            addChildren(homes, root.resolve(place), 2);
        }
        addChildren(homes, userHome.resolve(".sdkman/candidates/java"), 1);
        addChildren(homes, userHome.resolve(".jdks"), 1);
        if (root.equals(Path.of("/"))) {
            addHome(homes, Path.of(System.getProperty("java.home")));
        }
        // Asking a JVM takes some 50 ms, so all are asked at the same time.
        List<Jvm> jvms = homes.parallelStream()
                .map(JvmProbe::probe)
                .flatMap(Collection::stream)
                .collect(Collectors.toList());
        // A stable sort: within a version the order of the places stays.
        jvms.sort(Comparator.comparingInt(Jvm::featureVersion));
        return new JvmInventory(jvms, graalJars);
    }

    private static void addWithChildren(Set<Path> homes, String place) {
        if (!place.isBlank() && !addHome(homes, Path.of(place.trim()))) {
            addChildren(homes, Path.of(place.trim()), 1);
        }
    }

    private static void addChildren(Set<Path> homes, Path place, int depth) {
        if (depth == 0 || !Files.isDirectory(place)) {
            return;
        }
        Set<Path> children = new TreeSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(place, Files::isDirectory)) {
            entries.forEach(children::add);
        } catch (IOException e) {
            return;
        }
        for (Path child : children) {
            if (!addHome(homes, child)) {
                addChildren(homes, child, depth - 1);
            }
        }
    }

    private static void addOfCommand(Set<Path> homes, Path command) {
        try {
            Path real = command.toRealPath();
            boolean isAtHome = real.endsWith(Path.of("bin", "java"));
            // A shim, as of asdf, jenv, mise or Gentoo, or a script such as /usr/local/bin/java: it alone knows which
            // Java it starts.
            Optional<Path> told = Files.isExecutable(command) && (!isAtHome || isScript(real))
                    ? JvmProbe.home(command)
                    : Optional.empty();
            if (told.isPresent()) {
                addHome(homes, told.get());
            } else if (isAtHome) {
                addHome(homes, real.getParent().getParent());
            }
        } catch (IOException e) {
            // No java in this folder of the path.
        }
    }

    private static boolean isScript(Path program) {
        try (InputStream in = Files.newInputStream(program)) {
            return in.read() == '#' && in.read() == '!';
        } catch (IOException e) {
            // Executable and not readable: no shell could run such a script.
            return false;
        }
    }

    private static boolean addHome(Set<Path> homes, Path folder) {
        if (!Files.isRegularFile(folder.resolve("bin/java"))) {
            return false;
        }
        try {
            Path home = folder.toRealPath();
            // A JDK 8 has its JRE inside; both are one installation.
            boolean jre = home.endsWith("jre") && Files.isRegularFile(home.resolveSibling("bin/java"));
            homes.add(jre ? home.getParent() : home);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns what was found, without duplicates, in rising order of version. */
    public List<Jvm> jvms() {
        return jvms;
    }

    /** Returns what there is for every profile, in the order of {@link Profile}: its default, then other versions. */
    public List<ProfileStatus> doctor() {
        List<ProfileStatus> rows = new ArrayList<>();
        for (Profile profile : Profile.values()) {
            ProfileStatus standard = chooser.status(profile, OptionalInt.empty());
            rows.add(standard);
            for (int version : chooser.otherVersions(profile)) {
                rows.add(chooser.status(profile, OptionalInt.of(version)));
            }
        }
        return rows;
    }

    /**
     * Checks that the JVM of a target is installed, before anything is started.
     *
     * @throws TargetFailedException saying what was looked for, where, and what to do
     */
    public void require(TargetSpec target) {
        target.profile().ifPresent(profile -> choose(profile, target.jdkVersion()));
    }

    /**
     * Asks the JVM of a target what it makes of the target's options, without its application. Options that stand in
     * the command itself, and variables of its environment, are not among them.
     *
     * @return absent of targets that run already or are no JVM
     * @throws TargetFailedException where the JVM is not installed
     * @throws ProgramReplacedException where it is another one than before
     */
    public Optional<FlagCheck> checkFlags(TargetSpec target) {
        return target.profile().map(profile -> {
            JvmChoice choice = choose(profile, target.jdkVersion());
            List<String> command =
                    new ArrayList<>(List.of(choice.jvm.javaBinary().toString()));
            command.addAll(choice.options);
            requireSame(target.name(), choice.jvm, command);
            return FlagProbe.check(choice, target.jvmOptions(), profile.isGraal());
        });
    }

    /**
     * Has the files of a command be what they were when one of its like was first started.
     *
     * @param jvm null for a program that is none
     */
    void requireSame(String target, Jvm jvm, List<String> command) {
        if (jvm != null) {
            files.require(target, ProgramFiles.of(jvm));
        }
        files.require(target, ProgramFiles.of(command));
    }

    /**
     * Returns a digest of the program that a target runs, without its JVM: of what its command names as class path,
     * modules and agents, and of Graal's jars. 64 hexadecimal digits.
     *
     * @param usual the command of a target that has none of its own
     * @throws TargetFailedException where its JVM is not installed
     */
    public String programDigest(TargetSpec target, List<String> usual) {
        List<String> template = target.command().isEmpty() ? usual : target.command();
        JvmChoice choice = target.profile()
                .map(profile -> choose(profile, target.jdkVersion()))
                .orElse(null);
        Jvm jvm = choice == null ? null : choice.jvm;
        List<String> jvmOptions = new ArrayList<>(choice == null ? List.of() : choice.options);
        jvmOptions.addAll(target.jvmOptions());
        List<String> command = new CommandTemplate(template, target.environment()).command(0, jvm, jvmOptions);
        List<Path> program = new ArrayList<>(ProgramFiles.of(command));
        if (jvm != null) {
            program.remove(jvm.javaBinary());
        }
        return ProgramFiles.digest(program);
    }

    /**
     * Returns the feature version of the JDK that a target runs on; absent of targets that run already or are no JVM.
     *
     * @throws TargetFailedException where it is not installed
     */
    public OptionalInt featureVersion(TargetSpec target) {
        return target.profile().stream()
                .mapToInt(profile -> choose(profile, target.jdkVersion()).jvm.featureVersion())
                .findFirst();
    }

    /**
     * Returns version and vendor of the JVM that a target runs on, for people; absent of targets that run already or
     * are no JVM.
     *
     * @throws TargetFailedException where it is not installed
     */
    public Optional<String> version(TargetSpec target) {
        return target.profile().map(profile -> {
            Jvm jvm = choose(profile, target.jdkVersion()).jvm;
            return jvm.version() + " (" + jvm.vendor() + ")";
        });
    }

    /**
     * Returns that these targets run on different JDKs though not all of them ask for one, as a sentence for people;
     * absent where they do not.
     *
     * @throws TargetFailedException where the JVM of one is not installed
     */
    public Optional<String> differentJdks(List<TargetSpec> targets) {
        Map<String, Jvm> jvms = new LinkedHashMap<>();
        boolean asked = true;
        boolean sameKind = true;
        for (TargetSpec target : targets) {
            if (target.profile().isPresent()) {
                Profile profile = target.profile().get();
                asked &= target.jdkVersion().isPresent();
                sameKind &= profile == Profile.C2 || profile == Profile.GRAAL;
                jvms.put(target.name(), choose(profile, target.jdkVersion()).jvm);
            }
        }
        long different = jvms.values().stream()
                .map(sameKind ? Jvm::home : Jvm::featureVersion)
                .distinct()
                .count();
        return asked || different < 2
                ? Optional.empty()
                : Optional.of("the targets run on different JDKs, so that they differ in more than the JIT: "
                        + jvms.entrySet().stream()
                                .map(jvm ->
                                        jvm.getKey() + " on " + jvm.getValue().version() + " in "
                                                + jvm.getValue().home())
                                .collect(Collectors.joining(", "))
                        + "; name a version that all have, as in c2@25 (replay doctor lists them)");
    }

    /**
     * Returns the JVM and the options for a profile.
     *
     * @throws TargetFailedException saying what was looked for, where, and what to do
     */
    JvmChoice choose(Profile profile, OptionalInt featureVersion) {
        return chooser.choose(profile, featureVersion);
    }
}
