package dev.lockstep.cli.replay;

import dev.lockstep.cli.options.Heading;
import picocli.CommandLine.Option;

/** The options that guard servers against what is replayed. Filled by picocli, then only read. */
final class WriteOptions {
    @Heading("Security")
    @Option(
            names = "--allow-writes",
            description = "Also sends requests that may change data (POST, PUT, Thrift calls, ...) to servers "
                    + "neither on loopback nor started by this run. Default: refused.")
    private boolean allowWrites;

    @Heading("What to send")
    @Option(names = "--dry-run", description = "Prints which requests would be sent where and when, and sends nothing.")
    private boolean dryRun;

    boolean allowWrites() {
        return allowWrites;
    }

    boolean dryRun() {
        return dryRun;
    }
}
