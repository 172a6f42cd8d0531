package dev.lockstep.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.cli.command.ExitCode;
import dev.lockstep.cli.terminal.Interruption;
import dev.lockstep.measurement.Interval;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;

/** Runs the whole command in this JVM and keeps what it printed. */
public final class TestingCommandLine {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    /** Where the output of the last command begins. */
    private int begin;

    private String failsFor;
    private int failsInLaunch;
    private final Interruption interruption = Interruption.detached();

    /** Returns the whole command, as it is started. */
    public static CommandLine parser() {
        return Main.commandLine(Interruption.detached());
    }

    public int execute(String... args) {
        begin = out().length();
        return Main.commandLine(interruption, config -> config.watcher(this::watch))
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(80)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(args);
    }

    /** Asserts that the report of a directory is what the last run of this line printed, if it printed a result. */
    public void assertReportPrintsTheSame(Path directory, boolean json) {
        String printed = out().substring(begin);
        if (!printed.isEmpty() && Files.exists(directory.resolve("run.json"))) {
            TestingCommandLine report = new TestingCommandLine();
            assertEquals(
                    ExitCode.DONE,
                    json
                            ? report.execute("report", "--json", directory.toString())
                            : report.execute("report", directory.toString()),
                    report::err);
            assertEquals(printed, report.out());
        }
    }

    /** Has the run fail, as a defect of ours would make it, once this target is measured in this launch. */
    public void failFor(String target, int launch) {
        failsFor = target;
        failsInLaunch = launch;
    }

    private void watch(String target, Interval interval) {
        if (target.equals(failsFor) && interval.launch == failsInLaunch) {
            throw new IllegalStateException("a defect made\nby a test");
        }
    }

    public Interruption interruption() {
        return interruption;
    }

    public String out() {
        synchronized (out.getBuffer()) {
            return out.toString();
        }
    }

    public String err() {
        synchronized (err.getBuffer()) {
            return err.toString();
        }
    }
}
