package dev.lockstep.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Runs the whole command in this JVM and keeps what it printed. */
final class TestingCommandLine {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Interruption interruption = Interruption.detached();

    int execute(String... args) {
        return Main.commandLine(interruption)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(args);
    }

    Interruption interruption() {
        return interruption;
    }

    String out() {
        synchronized (out.getBuffer()) {
            return out.toString();
        }
    }

    String err() {
        synchronized (err.getBuffer()) {
            return err.toString();
        }
    }
}
