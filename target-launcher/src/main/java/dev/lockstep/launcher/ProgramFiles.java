package dev.lockstep.launcher;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;

/**
 * The files that targets are made of, as they were when a target was first started with them: the JVM's, and what its
 * command names as program, class path, modules and agents; no other words, which may be logs and data. One that was
 * written anew with the same bytes is the same. Any thread.
 */
final class ProgramFiles {
    /** Of folders with classes, in the order of their names. */
    private static final int MOST_CLASSES = 10_000;
    /** Larger ones, of which a JVM has one, are told apart by size and time alone. */
    private static final long MOST_SUMMED_BYTES = 64 << 20;

    private static final String JAR = ".jar";
    private static final String CLASS = ".class";
    /** What a JVM of any kind is made of. */
    private static final List<String> OF_JVM = List.of(
            "bin/java",
            "release",
            "lib/modules",
            "lib/server/libjvm.so",
            "lib/zero/libjvm.so",
            "lib/default/libjvm.so",
            "lib/default/libj9vm29.so",
            "lib/j9vm/libjvm.so",
            "lib/libjvmcicompiler.so",
            "lib/rt.jar",
            "jre/lib/rt.jar",
            "lib/amd64/server/libjvm.so",
            "jre/lib/amd64/server/libjvm.so");

    private static final Set<String> CLASS_PATH = Set.of("-cp", "-classpath", "--class-path");
    private static final Set<String> MODULE_PATH = Set.of("-p", "--module-path", "--upgrade-module-path");
    /** Of the words {@code env -C DIRECTORY}. */
    private static final int ENTERING = 3;
    /** Whose value is the next word. */
    private static final Set<String> WITH_A_VALUE = Set.of(
            "--add-modules",
            "--add-exports",
            "--add-opens",
            "--add-reads",
            "--limit-modules",
            "--patch-module",
            "--enable-native-access");

    /** What a file was like. Immutable. */
    private static final class Mark {
        final String sizeAndTime;
        /** Of what is in it; absent for a large file. */
        final OptionalLong sum;

        Mark(String sizeAndTime, OptionalLong sum) {
            this.sizeAndTime = sizeAndTime;
            this.sum = sum;
        }
    }

    private final Map<Path, Mark> known = new ConcurrentHashMap<>();

    /**
     * Notes files that are used for the first time, and has all others be what they were then.
     *
     * @throws ProgramReplacedException where one is not
     */
    void require(String target, Collection<Path> files) {
        for (Path file : files) {
            String now = sizeAndTime(file);
            Mark before = known.get(file);
            if (before == null && !now.isEmpty()) {
                known.putIfAbsent(file, new Mark(now, sum(file)));
            } else if (before != null && !before.sizeAndTime.equals(now)) {
                OptionalLong sum = sum(file);
                if (now.isEmpty() || sum.isEmpty() || !sum.equals(before.sum)) {
                    throw new ProgramReplacedException(target, file, now.isEmpty());
                }
                known.put(file, new Mark(now, sum));
            }
        }
    }

    /** Returns what mostly tells a file from another one of its name; empty where there is none. */
    private static String sizeAndTime(Path file) {
        try {
            return Files.size(file) + " " + Files.getLastModifiedTime(file);
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Returns the CRC-32 of a file that is not large. Nobody forges a file to pass for another one here, and SHA-256 of
     * a JVM and its jars took a second of C1's code, and of C2's some tenths, before each first start.
     */
    private static OptionalLong sum(Path file) {
        CRC32 sum = new CRC32();
        try (InputStream in = new CheckedInputStream(Files.newInputStream(file), sum)) {
            if (Files.size(file) > MOST_SUMMED_BYTES) {
                return OptionalLong.empty();
            }
            in.transferTo(OutputStream.nullOutputStream());
            return OptionalLong.of(sum.getValue());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** Returns the files that make a JVM, as far as their names are known. */
    static List<Path> of(Jvm jvm) {
        return OF_JVM.stream().map(jvm.home()::resolve).collect(Collectors.toList());
    }

    /** Returns the files that a whole command names as its program; of a program that is no java the program alone. */
    static List<Path> of(List<String> command) {
        return of(command, Path.of(""));
    }

    /** @param folder where it runs */
    private static List<Path> of(List<String> command, Path folder) {
        Set<Path> files = new LinkedHashSet<>();
        String program = command.get(0);
        if (program.equals("env") && command.size() > ENTERING && command.get(1).equals("-C")) {
            // As a target's workingDirectory is entered.
            return of(command.subList(ENTERING, command.size()), Path.of(command.get(ENTERING - 1)));
        }
        boolean isBelow = program.contains("/");
        addFile(
                files,
                Executables.find(isBelow ? at(folder, program) : program)
                        .map(Path::toString)
                        .orElse(""));
        boolean isJava = program.equals("java") || program.endsWith("/java");
        for (int i = 1; isJava && i < command.size(); i++) {
            String word = command.get(i);
            String next = i + 1 < command.size() ? command.get(i + 1) : "";
            int equal = word.startsWith("--") ? word.indexOf('=') : -1;
            String option = equal < 0 ? word : word.substring(0, equal);
            String value = equal < 0 ? next : word.substring(equal + 1);
            if (word.equals("-jar")) {
                addJar(files, at(folder, next));
                // The rest is the application's.
                break;
            } else if (CLASS_PATH.contains(option) || MODULE_PATH.contains(option)) {
                addPath(files, value, MODULE_PATH.contains(option), folder);
                i += equal < 0 ? 1 : 0;
            } else if (WITH_A_VALUE.contains(word)) {
                i++;
            } else if (word.startsWith("-javaagent:") || word.startsWith("-agentpath:")) {
                String agent = word.substring(word.indexOf(':') + 1);
                addFile(files, at(folder, agent.contains("=") ? agent.substring(0, agent.indexOf('=')) : agent));
            } else if (word.startsWith("@")) {
                addFile(files, at(folder, word.substring(1)));
            } else if (!word.startsWith("-") || option.equals("-m") || option.equals("--module")) {
                break;
            }
        }
        return new ArrayList<>(files);
    }

    /** Returns a name as it is from here. */
    private static String at(Path folder, String name) {
        try {
            return name.isEmpty() ? name : folder.resolve(name).toString();
        } catch (InvalidPathException e) {
            return "";
        }
    }

    private static void addPath(Set<Path> files, String path, boolean ofModules, Path folder) {
        for (String named : path.split(File.pathSeparator)) {
            String entry = at(folder, named);
            boolean jars = entry.endsWith("*");
            try {
                Path file = Path.of(jars ? entry.substring(0, entry.length() - 1) : entry);
                if (!entry.isEmpty() && Files.isDirectory(file)) {
                    if (jars || ofModules) {
                        addAll(files, file, 1, JAR);
                    }
                    if (!jars) {
                        addAll(files, file, Integer.MAX_VALUE, CLASS);
                    }
                } else {
                    addJar(files, entry);
                }
            } catch (InvalidPathException | IOException | UncheckedIOException e) {
                // Java ignores it too.
            }
        }
    }

    private static void addAll(Set<Path> files, Path folder, int depth, String ending) throws IOException {
        // Its name may be a link.
        try (Stream<Path> all = Files.walk(folder.toRealPath(), depth)) {
            all.filter(file -> file.toString().endsWith(ending) && Files.isRegularFile(file))
                    .sorted()
                    .limit(MOST_CLASSES)
                    .forEach(files::add);
        }
    }

    /** Adds a jar with those that its manifest has on its class path. */
    private static void addJar(Set<Path> files, String name) {
        addFile(files, name);
        if (!name.endsWith(JAR)) {
            return;
        }
        try (JarFile jar = new JarFile(name)) {
            Manifest manifest = jar.getManifest();
            String path = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            Path folder = Path.of(name).toAbsolutePath().getParent();
            for (String entry : path == null ? new String[0] : path.trim().split("\\s+")) {
                addFile(files, folder.resolve(entry).normalize().toString());
            }
        } catch (IOException | InvalidPathException e) {
            // What Java says to it, the target's log has.
        }
    }

    private static void addFile(Set<Path> files, String name) {
        try {
            Path file = Path.of(name);
            if (!name.isEmpty() && !Files.isDirectory(file)) {
                files.add(file);
            }
        } catch (InvalidPathException e) {
            // It names no file.
        }
    }

    /** Returns a digest of what is in these files: 64 hexadecimal digits. What is not there counts as empty. */
    static String digest(Collection<Path> files) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            for (Path file : files) {
                sha256.update((file.getFileName() + "\n").getBytes(StandardCharsets.UTF_8));
                try (InputStream in = new DigestInputStream(Files.newInputStream(file), sha256)) {
                    in.transferTo(OutputStream.nullOutputStream());
                } catch (IOException e) {
                    sha256.update((byte) 0);
                }
            }
            return String.format("%064x", new BigInteger(1, sha256.digest()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
