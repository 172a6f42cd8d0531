package dev.lockstep.cli;

import picocli.CommandLine.Option;

/** The options that guard servers against what is replayed. Filled by picocli, then only read. */
final class WriteOptions {
    @Option(
            names = "--allow-writes",
            order = 33,
            description = "Send also requests that may change something (POST, PUT, DELETE, every Thrift call, ...) to "
                    + "servers that are neither on loopback nor started by this run. Default: refused.")
    private boolean allowWrites;

    @Option(
            names = "--dry-run",
            order = 34,
            description = "Print which requests would be sent where and when, and send nothing.")
    private boolean dryRun;

    boolean allowWrites() {
        return allowWrites;
    }

    boolean dryRun() {
        return dryRun;
    }
}
