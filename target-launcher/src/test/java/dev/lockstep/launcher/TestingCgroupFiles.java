package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** An ordinary folder that behaves like a control group file system of version 2, as far as files go. */
final class TestingCgroupFiles extends CgroupFiles {
    /** Every write: the file relative to the root, '=' and the text. */
    final List<String> writes = new ArrayList<>();
    /** Folders in which no group can be made or removed. */
    final Set<Path> closed = new HashSet<>();
    /** Folders with processes, which can not hand controllers down. */
    final Set<Path> busy = new HashSet<>();

    private final Path root;

    TestingCgroupFiles(Path root, String controllers) throws IOException {
        this.root = root;
        fill(root, controllers);
    }

    private static void fill(Path group, String controllers) throws IOException {
        Files.writeString(group.resolve("cgroup.controllers"), controllers);
        add(group, "", "cgroup.procs", "cgroup.subtree_control", "cgroup.freeze", "cgroup.events");
        if (controllers.contains("memory")) {
            add(group, "max\n", "memory.max", "memory.swap.max", "memory.peak", "memory.events");
        }
        if (controllers.contains("cpuset")) {
            add(group, "", "cpuset.cpus");
        }
    }

    private static void add(Path group, String content, String... files) throws IOException {
        for (String file : files) {
            if (!Files.exists(group.resolve(file))) {
                Files.writeString(group.resolve(file), content);
            }
        }
    }

    @Override
    void makeDirectory(Path directory) throws IOException {
        if (closed.contains(directory.getParent())) {
            throw new AccessDeniedException(directory.toString());
        }
        super.makeDirectory(directory);
        fill(directory, read(directory.getParent().resolve("cgroup.subtree_control")));
    }

    @Override
    boolean mayRemoveFrom(Path above) {
        return !closed.contains(above);
    }

    @Override
    void removeDirectory(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        super.removeDirectory(directory);
    }

    @Override
    void write(Path file, String text) throws IOException {
        writes.add(root.relativize(file) + "=" + text);
        if (file.endsWith("cgroup.subtree_control")) {
            if (busy.contains(file.getParent())) {
                throw new IOException("Device or resource busy");
            }
            String controllers = (read(file) + " " + text.substring(1)).trim();
            Files.writeString(file, controllers);
            for (Path child : children(file.getParent())) {
                fill(child, controllers);
            }
            return;
        }
        if (file.endsWith("cgroup.freeze")) {
            Files.writeString(file.resolveSibling("cgroup.events"), "populated 1\nfrozen " + text + "\n");
        }
        Files.delete(file);
        Files.writeString(file, text);
    }
}
