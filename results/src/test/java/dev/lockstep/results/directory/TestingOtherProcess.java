package dev.lockstep.results.directory;

import java.nio.file.Path;

/** Another process that looks at a run directory and prints whether it is locked. */
final class TestingOtherProcess {
    private TestingOtherProcess() {}

    public static void main(String[] args) {
        System.out.println(RunDirectoryReader.isBeingWritten(Path.of(args[0])));
    }
}
