package dev.lockstep.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Runs the whole command in this JVM and keeps what it printed. */
final class TestingCommandLine {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter() {
        @Override
        public void write(String text, int from, int length) {
            if (failsAt != null && text.contains(failsAt)) {
                failsAt = null;
                throw new IllegalStateException("a defect made\nby a test");
            }
            super.write(text, from, length);
        }
    };
    private String failsAt;
    private final Interruption interruption = Interruption.detached();

    int execute(String... args) {
        return Main.commandLine(interruption)
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(80)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(args);
    }

    /** Has the command fail, as a defect of ours would make it, when it is about to say this on standard error. */
    void failAt(String text) {
        failsAt = text;
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
