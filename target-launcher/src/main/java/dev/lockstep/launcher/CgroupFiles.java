package dev.lockstep.launcher;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Access to the files of the control group file systems. Safe to use from any thread. Tests put an ordinary folder in
 * its place, which does not fill new folders with the kernel's files.
 */
class CgroupFiles {
    private static final long REMOVE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    void makeDirectory(Path directory) throws IOException {
        Files.createDirectory(directory);
    }

    /** Makes a group with a name of this run below a folder. */
    final Path makeRunGroup(Path above) throws IOException {
        for (int count = 0; ; count++) {
            Path group = above.resolve(RunGroupName.own(count));
            try {
                makeDirectory(group);
                return group;
            } catch (FileAlreadyExistsException e) {
                // The next number may be free.
            }
        }
    }

    /** Returns the groups below a folder that runs left which have ended, as far as this process may remove them. */
    final List<Path> staleRunGroups(Path above) {
        if (!mayRemoveFrom(above)) {
            // As those that root's run left are for others.
            return List.of();
        }
        List<Path> stale = children(above);
        stale.removeIf(group -> !RunGroupName.isStale(group.getFileName().toString()));
        return stale;
    }

    boolean mayRemoveFrom(Path above) {
        return Files.isWritable(above);
    }

    void removeDirectory(Path directory) throws IOException {
        Files.deleteIfExists(directory);
    }

    /** Writes in one write call, as the kernel demands; never makes a file. */
    void write(Path file, String text) throws IOException {
        try {
            Files.write(file, text.getBytes(StandardCharsets.US_ASCII), StandardOpenOption.WRITE);
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            // The message of write(2) does not name the file.
            throw new IOException(file + " does not take '" + text + "': " + e.getMessage(), e);
        }
    }

    /** Writes, and reads back to check that the kernel kept the value. */
    final void writeAndCheck(Path file, String text) throws IOException {
        write(file, text);
        String found = read(file);
        if (!found.equals(text)) {
            throw new IOException(file + " took '" + text + "' and reads '" + found + "'");
        }
    }

    final String read(Path file) throws IOException {
        return KernelFile.read(file).trim();
    }

    /** Returns the content, or empty when there is no such file. */
    final Optional<String> find(Path file) {
        try {
            return Optional.of(read(file));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns the number in the file; empty when there is no such file or no number in it ("max"). */
    final OptionalLong number(Path file) {
        return parse(find(file).orElse(""));
    }

    /** Returns the number after a key in a file of "key number" lines. */
    final OptionalLong number(Path file, String key) {
        for (String line : find(file).orElse("").split("\n")) {
            if (line.startsWith(key + " ")) {
                return parse(line.substring(key.length() + 1).trim());
            }
        }
        return OptionalLong.empty();
    }

    private static OptionalLong parse(String digits) {
        try {
            return OptionalLong.of(Long.parseLong(digits));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** Returns the processes of a group; empty when the group is gone. */
    final List<Long> processes(Path group) {
        List<Long> pids = new ArrayList<>();
        for (String line : find(group.resolve("cgroup.procs")).orElse("").split("\n")) {
            // 0 stands for a process of another pid namespace: out of our reach.
            if (line.matches("[1-9][0-9]*")) {
                pids.add(Long.parseLong(line));
            }
        }
        return pids;
    }

    final List<Path> children(Path group) {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(group, Files::isDirectory)) {
            entries.forEach(children::add);
        } catch (IOException e) {
            // Gone or not readable: nothing to work on.
        }
        return children;
    }

    /**
     * Kills all processes in the group and in the groups below it, and removes these groups. Gives up after some
     * seconds rather than hang on a process that the kernel cannot end at once; the next start sweeps again.
     *
     * @return whether it is gone
     */
    final boolean killAndRemove(Path group) {
        long deadlineNs = System.nanoTime() + REMOVE_TIMEOUT_NS;
        while (true) {
            killAll(group);
            if (removeTree(group)) {
                return true;
            }
            if (System.nanoTime() > deadlineNs) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    final void killAll(Path group) {
        for (Path child : children(group)) {
            killAll(child);
        }
        long own = ProcessHandle.current().pid();
        for (long pid : processes(group)) {
            if (pid != own) {
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

    private boolean removeTree(Path group) {
        boolean removed = true;
        for (Path child : children(group)) {
            removed &= removeTree(child);
        }
        if (!removed) {
            return false;
        }
        try {
            removeDirectory(group);
            return true;
        } catch (IOException e) {
            return !Files.exists(group);
        }
    }
}
